import type { EncodingCounterOptions, OpenaiCounterOptions } from "../openai-counter-options.ts";
import { bareModelName } from "./bare-model-name.ts";
import type { EncodingName } from "./encoding-name.ts";
import { endsOfPreTokens } from "./end-of-pre-token.ts";
import { invalidOption } from "./invalid-option.ts";

// Source: `model.py` of tiktoken, which names models up to gpt-5; for those after it OpenAI has published no other encoding.
const encodings: readonly (readonly [RegExp, EncodingName])[] = [
  [
    /^(?:chatgpt-4o|chat-latest|gpt-4o|gpt-4\.[15]|gpt-[56]|gpt-oss|o[134])(?:$|[-.])/,
    "o200k_base",
  ],
  [/^gpt-(?:4|3\.5|35)(?:$|-)/, "cl100k_base"],
];

/** Returns the encoding of a model; `undefined` for one that is not OpenAI's. */
export function findEncodingOfModel(model: string): EncodingName | undefined {
  const name = bareModelName(model);
  return encodings.find(([names]) => names.test(name))?.[1];
}

/** Returns the encoding of a model. @throws `HistoryError` with code `INVALID_OPTION` for one that is not OpenAI's. */
export function encodingOfModel(model: string): EncodingName {
  const encoding = typeof model === "string" ? findEncodingOfModel(model) : undefined;
  if (encoding !== undefined) return encoding;
  throw invalidOption("model", {
    expected: "a chat model of OpenAI",
    received: model,
    hint: 'If you know its encoding, pass { encoding: "o200k_base" }; for Claude and Gemini, use estimatingCounter.',
  });
}

/**
 * Returns the options of a counter that has this encoding only.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model that has another.
 */
export function requireEncoding(
  encoding: EncodingName,
  { model, ...rules }: EncodingCounterOptions,
): OpenaiCounterOptions {
  if (model === undefined) return { encoding, ...rules };
  const found = encodingOfModel(model);
  if (found === encoding) return { model, ...rules };
  throw invalidOption("model", {
    expected: `a model of the encoding ${encoding}`,
    received: model,
    hint: `Import the counter of ${found} from @agent-history/tokens/${found.replace("_", "-")}.`,
  });
}

/** Checks the name of an encoding. @throws `HistoryError` with code `INVALID_OPTION`. */
export function checkedEncoding(encoding: EncodingName): EncodingName {
  if (Object.hasOwn(endsOfPreTokens, encoding)) return encoding;
  throw invalidOption("encoding", {
    expected: `one of ${Object.keys(endsOfPreTokens).join(", ")}`,
    received: encoding,
    hint: 'Models since gpt-4o have "o200k_base".',
  });
}
