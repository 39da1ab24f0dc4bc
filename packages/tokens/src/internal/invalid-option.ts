import { HistoryError } from "@agent-history/core";

import { similarModels } from "./known-models.ts";

/** Creates the error for an invalid option. `similar` are values that may have been meant. */
export function invalidOption(
  option: string,
  wanted: { expected: string; received: unknown; hint: string; similar?: readonly string[] },
): HistoryError {
  const { expected, hint, similar } = wanted;
  const received = describe(wanted.received);
  const guess =
    similar === undefined || similar.length === 0 ? "" : ` Did you mean ${similar.join(", ")}?`;
  return new HistoryError(
    `Expected \`${option}\` to be ${expected}; got ${received}.${guess} ${hint}`,
    {
      code: "INVALID_OPTION",
      details: { option, expected, received, ...(similar && { similar }) },
    },
  );
}

/**
 * Creates the error for an unknown model, with near misses among those that are `meant`.
 *
 * A deployment's name on Azure and a tag of a local server (`llama3:8b`) say nothing of the model: the numbers must be passed.
 */
export function unknownModel(
  model: unknown,
  expected: string,
  hint: string,
  meant: (model: string) => boolean = () => true,
): HistoryError {
  return invalidOption("model", {
    expected,
    received: model,
    hint: `${hint} For a deployment of Azure, pass the model behind it; the window of a local server is a setting of that server.`,
    similar: typeof model === "string" ? similarModels(model).filter(meant) : [],
  });
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  return typeof value === "number" ? String(value) : typeof value;
}
