/** What a caller's own check needs of a result's texts. */
type SaysComplete = (text: string) => boolean;

/**
 * Returns whether what a step returned says that the work is done: `completed: true`, a validation that says `complete`,
 * or a phrase in one of its texts. A result that reports a failure says no such thing.
 */
export function resultSaysComplete(result: unknown, saysComplete: SaysComplete): boolean {
  if (typeof result === "string") {
    const parsed = parseObject(result);
    return parsed === undefined ? saysComplete(result) : resultSaysComplete(parsed, saysComplete);
  }
  if (!isRecord(result) || isFailure(result)) return false;
  if (result["completed"] === true) return true;
  if (result["completed"] === false) return false;
  const validations = [result["responseValidation"], result["response_validation"]];
  if (validations.some((value) => isRecord(value) && value["complete"] === true)) return true;
  return TEXT_FIELDS.some((field) => {
    const text = result[field];
    return typeof text === "string" && saysComplete(text);
  });
}

/** Where results say in words what came of them. */
const TEXT_FIELDS = [
  "message",
  "summary",
  "finalResult",
  "final_result",
  "humanReadableSummary",
  "human_readable_summary",
];

function isFailure({
  error,
  success,
  outcome = "success",
}: Readonly<Record<string, unknown>>): boolean {
  return success === false || outcome !== "success" || (error ?? false) !== false;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseObject(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
