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

/**
 * Explains why a fit failed, where an entry is malformed. A fit reads entries unchecked, so that a good history pays nothing; they are checked here,
 * after a failure. What a counter throws is not explained.
 *
 * @returns What to throw: a `HistoryError` with code `INVALID_ENTRY` and the failure as its cause, or the failure itself.
 */
export function explainFailure(failure: unknown, entries: readonly HistoryEntry[]): unknown {
  const cause = isHistoryError(failure, "STEP_FAILED") ? failure.cause : failure;
  if (!(cause instanceof TypeError)) return failure;
  for (let index = 0; index < entries.length; index++) {
    const fault = faultOf(entries[index]);
    if (fault !== undefined) return malformed(fault, index, entries[index], failure);
  }
  return failure;
}

/** What is wrong with an entry. */
interface Fault {
  /** The field; empty for the entry itself. */
  readonly path: string;
  readonly expected: string;
  readonly got: unknown;
}

function malformed(
  { path, expected, got }: Fault,
  index: number,
  entry: unknown,
  cause: unknown,
): HistoryError {
  const at = path === "" ? "" : ` at \`${path}\``;
  const [entryId, entryType] = isRecord(entry) ? [nameOf(entry, "id"), nameOf(entry, "type")] : [];
  return new HistoryError(
    `Expected ${expected}${at} of entry ${index} of the history; got ${kindOf(got)}. Correct the entry, or leave it out.`,
    { code: "INVALID_ENTRY", details: { index, path, entryId, entryType }, cause },
  );
}

/** Finds what a fit cannot read of an entry. */
function faultOf(entry: unknown): Fault | undefined {
  if (!isRecord(entry)) return { path: "", expected: "an object", got: entry };
  try {
    const field = FIELDS.find(({ path, isSound }) => !isSound(entry[path], entry["type"]));
    return field && { ...field, got: entry[field.path] };
  } catch {
    return { path: "", expected: "data", got: entry };
  }
}

/** What a fit reads of each entry. */
const FIELDS: readonly (Pick<Fault, "path" | "expected"> & {
  readonly isSound: (value: unknown, type: unknown) => boolean;
})[] = [
  { path: "type", expected: "a text", isSound: isText },
  { path: "id", expected: "a text", isSound: isText },
  {
    path: "content",
    expected: "text or a list of parts",
    isSound: (content, type) =>
      isText(content) || isListOfRecords(content) || (content === undefined && mayBeSilent(type)),
  },
  {
    path: "toolCalls",
    expected: "a list of calls",
    isSound: (calls, type) => type !== "action" || isListOfRecords(calls),
  },
  {
    path: "sources",
    expected: "a list of sources",
    isSound: (sources) => sources === undefined || isListOfRecords(sources),
  },
];

/** Returns whether an entry of a type may have no content: calls say enough, and types of the user's own have what they have. */
function mayBeSilent(type: unknown): boolean {
  return type === "action" || type === "opaque" || !ENTRY_TYPES.some((one) => one === type);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isListOfRecords(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(entry: Readonly<Record<string, unknown>>, field: string): string | undefined {
  try {
    const name = entry[field];
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The kind of a value; never what it says. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
