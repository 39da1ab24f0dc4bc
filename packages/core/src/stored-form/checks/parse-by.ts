import { HistoryError } from "../../history-error.ts";
import { noRefusal, REFUSED } from "./check.ts";
import type { Check, Refusal } from "./check.ts";

/**
 * Copies `value`, or says where it fails, what was expected and what kind of value came, without quoting it. What the value itself throws is
 * not passed on, a `HistoryError` neither.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY`; `details`: `path`, `entryId`, `entryType`.
 */
export function parseBy<Parsed>(check: Check<Parsed>, value: unknown): Parsed {
  let refused: HistoryError;
  try {
    const refusal = noRefusal();
    const parsed = check(value, refusal);
    if (parsed !== REFUSED) return parsed;
    refused = invalidEntry(refusal, value);
  } catch {
    throw new HistoryError(
      "Expected JSON; got what cannot be read: it throws, is cyclic or is nested too deeply.",
      { code: "INVALID_ENTRY", details: { path: "" } },
    );
  }
  throw refused;
}

function invalidEntry({ message, path: keys, received }: Refusal, value: unknown): HistoryError {
  const path = keys.join(".");
  const entryId = nameOf(fieldOf(value, "id"));
  const entryType = nameOf(fieldOf(value, "type"));
  const at = path === "" ? "" : ` at \`${path}\``;
  const of = entryId === undefined ? "" : ` of entry ${quote(entryId)}`;
  const got = path === "type" && entryType !== undefined ? quote(entryType) : received;
  return new HistoryError(`${message}${at}${of}; got ${got}.`, {
    code: "INVALID_ENTRY",
    details: { path, entryId, entryType },
  });
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
