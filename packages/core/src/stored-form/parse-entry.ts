import type { Content } from "../content.ts";
import type { EntryBase } from "../entry-base.ts";
import { isEntryType } from "../entry-types.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { REFUSED, refuse, refuseAt } from "./checks/check.ts";
import type { Check, Refusal } from "./checks/check.ts";
import { jsonObjectCheck } from "./checks/json-checks.ts";
import { optionalField, recordCheck } from "./checks/object-checks.ts";
import { parseBy } from "./checks/parse-by.ts";
import { nonEmptyTextCheck } from "./checks/scalar-checks.ts";
import { contentCheck } from "./content-checks.ts";
import { entryBaseChecks } from "./entry-base-checks.ts";
import { historyEntryCheck } from "./history-entry-check.ts";

/** What the packages read of an entry of a type of the user's own. */
interface CommonFields extends EntryBase {
  readonly type: string;
  readonly content?: Content;
}

const commonCheck = recordCheck<CommonFields>({
  type: nonEmptyTextCheck,
  ...entryBaseChecks,
  content: optionalField(contentCheck),
});

/** Where the stored form keeps its version: a field of this name would take its place. */
const VERSION_FIELD = "v";
const NO_VERSION_FIELD = `Expected no field \`${VERSION_FIELD}\` (the stored form keeps its version there; use another name)`;

/**
 * Parses an entry and gives a copy of it, frozen to its depth. Linear in its size; -0 becomes 0, as in JSON.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if a field is missing, wrong or unknown. It names the field's
 * path and the entry's id and type, and quotes nothing else of the value. An optional field is left out, not
 * `undefined`. An entry of a type of the user's own may have any JSON beside the common fields and `content`.
 *
 * @example
 * ```ts
 * import { parseEntry } from "@agent-history/core/stored-form";
 *
 * parseEntry({ type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" });
 * // => { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" }
 * ```
 */
export function parseEntry(value: unknown): HistoryEntry {
  return parseBy(entryCheck, value);
}

const entryCheck: Check<HistoryEntry> = (value, refusal) => {
  const copied = historyEntryCheck(value, refusal);
  return copied === REFUSED && hasOwnType(value) ? ownEntryCheck(value, refusal) : copied;
};

function hasOwnType(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const type: unknown = Reflect.get(value, "type");
  return typeof type === "string" && type !== "" && !isEntryType(type);
}

/** Takes an entry of a type of the user's own: the common fields and the content as in every entry, and any JSON beside them. */
function ownEntryCheck(value: object, refusal: Refusal): HistoryEntry | typeof REFUSED {
  if (commonCheck(value, refusal) === REFUSED) return REFUSED;
  if (Object.hasOwn(value, VERSION_FIELD)) {
    refuse(refusal, NO_VERSION_FIELD, Reflect.get(value, VERSION_FIELD));
    return refuseAt(refusal, VERSION_FIELD);
  }
  const copy = jsonObjectCheck(value, refusal);
  // What is stored is the copy: inherited and hidden fields are not in it, and a getter may have said something else.
  if (copy === REFUSED || commonCheck(copy, refusal) === REFUSED) return REFUSED;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union names the built-in types, so that a switch over them narrows
  return copy as HistoryEntry & typeof copy;
}
