import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError } from "../history-error.ts";
import { refuse } from "./checks/check.ts";
import type { Check } from "./checks/check.ts";
import { recordCheck } from "./checks/object-checks.ts";
import { parseBy } from "./checks/parse-by.ts";
import { countCheck } from "./checks/scalar-checks.ts";
import { STORED_VERSION } from "./encode-entry.ts";
import { parseEntry } from "./parse-entry.ts";

/** The fields of a stored entry, with its version. */
type StoredFields = Readonly<Record<string, unknown>>;

const rowCheck: Check<StoredFields> = (row, refusal) =>
  isRow(row) ? row : refuse(refusal, "Expected an object or its JSON text", row);

const versionCheck = recordCheck<{ readonly v: number }>({
  v: (version, refusal) =>
    version === 0
      ? refuse(refusal, "Expected a version of the stored form, 1 or more", version)
      : countCheck(version, refusal),
});

/**
 * Reads an entry from its stored form.
 *
 * @param stored - What `encodeEntry` gave, or the JSON text of that.
 * @throws `HistoryError` with code `UNKNOWN_VERSION` if a newer release wrote it, and `INVALID_ENTRY` where it
 * cannot be read. Neither quotes content.
 *
 * @example
 * ```ts
 * import { decodeEntry, encodeEntry } from "@agent-history/core/stored-form";
 *
 * const text = JSON.stringify(
 *   encodeEntry({ type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" }),
 * );
 * // => '{"v":1,"type":"user_message","id":"u1","createdAtMs":0,"content":"Hello"}'
 * decodeEntry(text);
 * // => { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" }
 * ```
 */
export function decodeEntry(stored: unknown): HistoryEntry {
  const row = parseBy(rowCheck, typeof stored === "string" ? parseJson(stored) : stored);
  const version = parseBy(versionCheck, row).v;
  if (version > STORED_VERSION) throw unknownVersion(version, row);
  // An own key that is called `__proto__` is kept here, to be refused.
  const fields = Object.fromEntries(Object.entries(row).filter(([field]) => field !== "v"));
  return parseEntry(fields);
}

function isRow(row: unknown): row is StoredFields {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

function unknownVersion(version: number, row: StoredFields): HistoryError {
  const entryId = typeof row["id"] === "string" ? row["id"] : undefined;
  return new HistoryError(
    `Expected a stored entry of version ${STORED_VERSION}; got version ${version}. Keep it, and read it with a newer release.`,
    { code: "UNKNOWN_VERSION", details: { version, entryId } },
  );
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The engine's own error quotes the text.
    throw new HistoryError("Expected the JSON text of a stored entry; got text that is not JSON.", {
      code: "INVALID_ENTRY",
      details: { path: "" },
    });
  }
}
