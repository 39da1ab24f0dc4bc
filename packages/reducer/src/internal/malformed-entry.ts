import { ENTRY_TYPES, HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Refuses what is no history at all. */
export function requireHistory(entries: readonly HistoryEntry[]): void {
  if (Array.isArray(entries)) return;
  throw new HistoryError(
    `Expected the history to be an array of entries; got ${kindOf(entries)}. Pass an empty array where there is none.`,
    { code: "INVALID_OPTION", details: { option: "entries" } },
  );
}

/** What a fit reads of each entry. */
const EXPECTED = {
  "": "an object",
  type: "a text",
  id: "a text",
  content: "text or a list of parts",
  toolCalls: "a list of calls",
  sources: "a list of sources",
} as const;

/**
 * Explains why a fit failed, where an entry is malformed. A fit reads entries unchecked, so that a good history pays nothing; they are checked here,
 * after a failure. What a counter throws is not explained.
 *
 * @returns What to throw: a `HistoryError` with code `INVALID_ENTRY` and the failure as its cause, or the failure itself.
 */
export function explainFailure(failure: unknown, entries: readonly unknown[]): unknown {
  const cause = isHistoryError(failure, "STEP_FAILED") ? failure.cause : failure;
  if (!(cause instanceof TypeError)) return failure;
  for (const [index, entry] of entries.entries()) {
    const path = faultOf(entry);
    if (path === undefined) continue;
    const own = isRecord(entry) ? entry : undefined;
    const at = path === "" ? "" : ` at \`${path}\``;
    return new HistoryError(
      `Expected ${EXPECTED[path]}${at} of entry ${index} of the history; got ${kindOf(own === undefined ? entry : own[path])}. Correct the entry, or leave it out.`,
      {
        code: "INVALID_ENTRY",
        details: { index, path, entryId: textOf(own?.["id"]), entryType: textOf(own?.["type"]) },
        cause: failure,
      },
    );
  }
  return failure;
}

/** Finds the field of an entry that a fit cannot read; the empty path is the entry itself. */
function faultOf(entry: unknown): keyof typeof EXPECTED | undefined {
  if (!isRecord(entry)) return "";
  const { type, id, content, toolCalls, sources } = entry;
  if (typeof type !== "string") return "type";
  if (typeof id !== "string") return "id";
  // Calls say enough, and types of the user's own have what they have.
  const mayBeSilent =
    type === "action" || type === "opaque" || !ENTRY_TYPES.some((one) => one === type);
  const isSilent = content === undefined && mayBeSilent;
  if (typeof content !== "string" && !isList(content) && !isSilent) return "content";
  if (type === "action" && !isList(toolCalls)) return "toolCalls";
  return sources === undefined || isList(sources) ? undefined : "sources";
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The kind of a value; never what it says. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
