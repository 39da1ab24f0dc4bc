import { HistoryError } from "@agent-history/core";

/** Creates the error for an invalid option. */
export function invalidOption(
  option: string,
  { expected, received, hint }: { expected: string; received: unknown; hint: string },
): HistoryError {
  const shown = describe(received);
  return new HistoryError(`Expected \`${option}\` to be ${expected}; got ${shown}. ${hint}`, {
    code: "INVALID_OPTION",
    details: { option, expected, received: shown },
  });
}

/**
 * Creates the error for an unknown model, with near misses.
 *
 * A deployment's name on Azure and a tag of a local server (`llama3:8b`) say nothing of the model: the numbers must be passed.
 */
export function unknownModel(
  model: unknown,
  {
    expected,
    similar,
    hint,
  }: { readonly expected: string; readonly similar: readonly string[]; readonly hint: string },
): HistoryError {
  const guess = similar.length === 0 ? "" : ` Did you mean ${similar.join(", ")}?`;
  const shown = describe(model);
  return new HistoryError(
    `Expected \`model\` to be ${expected}; got ${shown}.${guess} ${hint} For a deployment of Azure, pass the model behind it; the window of a local server is a setting of that server.`,
    { code: "INVALID_OPTION", details: { option: "model", expected, received: shown, similar } },
  );
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  return typeof value === "number" ? String(value) : typeof value;
}
