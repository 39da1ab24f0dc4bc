import { bareModelName } from "./bare-model-name.ts";
import type { CounterFamily } from "./counter-families.ts";

// Source: the names of platform.claude.com/docs/en/about-claude/models/overview and ai.google.dev/gemini-api/docs/models, November
// 2026. A Claude whose version is not below 4.7 has the newer tokenizer.
const families: readonly (readonly [RegExp, CounterFamily])[] = [
  [
    /^claude-(?:[123]\b|instant|(?:opus|sonnet|haiku)-4(?:[-.][0-6])?(?![-.]?\d{1,2}\b))/,
    "claude-before-4.7",
  ],
  [/^claude-/, "claude"],
  [/^gemini-/, "gemini"],
];

/** Returns the family of a model without a public tokenizer, by its name; `undefined` for others. */
export function modelFamily(model: string): CounterFamily | undefined {
  const name = bareModelName(model);
  return families.find(([names]) => names.test(name))?.[1];
}
