import { ENTRY_TYPES, HistoryError, isHistoryError, isObject } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Throws if the history is not an array. */
export function requireHistory(entries: readonly HistoryEntry[]): void {
  if (Array.isArray(entries)) return;
  throw new HistoryError(
    `Expected the history to be an array of entries; got ${kindOf(entries)}. Pass an empty array if there is none.`,
    { code: "INVALID_OPTION", details: { option: "entries" } },
  );
}

/**
 * Explains a failed fit by a malformed entry, if there is one. A fit reads entries unchecked, so that valid histories cost nothing; they are checked here,
 * after a failure. Errors of a counter are not explained.
 *
 * @returns The error to throw: a `HistoryError` with code `INVALID_ENTRY` and the failure as its cause, or the failure itself.
 */
export function explainFailure(failure: unknown, entries: readonly unknown[]): unknown {
  const cause = isHistoryError(failure, "STEP_FAILED") ? failure.cause : failure;
  if (!(cause instanceof TypeError)) return failure;
  for (const [index, entry] of entries.entries()) {
    const fault = faultOf(entry);
    if (fault === undefined) continue;
    const [path, , expected] = fault;
    const own = isObject(entry) ? entry : undefined;
    const at = path === "" ? "" : ` at \`${path}\``;
    return new HistoryError(
      `Expected ${expected}${at} of entry ${index} of the history; got ${kindOf(own === undefined ? entry : own[path])}. Fix or remove the entry.`,
      {
        code: "INVALID_ENTRY",
        details: { index, path, entryId: textOf(own?.["id"]), entryType: textOf(own?.["type"]) },
        cause: failure,
      },
    );
  }
  return failure;
}

/** A field that a fit reads, whether it is valid, and what was expected. */
type Check = readonly [path: string, isRight: boolean, expected: string];

/** Finds the first invalid field of an entry; an empty path means the entry itself. */
function faultOf(entry: unknown): Check | undefined {
  if (!isObject(entry)) return ["", false, "an object"];
  const { type, id, content, toolCalls, sources } = entry;
  // Actions, opaque entries and custom types need no content.
  const mayBeSilent =
    type === "action" || type === "opaque" || !ENTRY_TYPES.some((one) => one === type);
  const isSilent = content === undefined && mayBeSilent;
  const isContent = typeof content === "string" || isList(content) || isSilent;
  const checks: readonly Check[] = [
    ["type", typeof type === "string", "a text"],
    ["id", typeof id === "string", "a text"],
    ["content", isContent, "text or a list of parts"],
    ["toolCalls", type !== "action" || isList(toolCalls), "a list of calls"],
    ["sources", sources === undefined || isList(sources), "a list of sources"],
  ];
  return checks.find(([, isRight]) => !isRight);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the kind of a value, never its content. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
