// The contract of `@agent-history/core/stored-form`: each line is public.
export {
  decodeEntries,
  decodeEntry,
  encodeEntry,
  parseEntry,
  STORED_VERSION,
} from "../schema/parse-entry.ts";
export type { StoredEntry } from "../schema/parse-entry.ts";

// What stores check besides
export { findNonJson } from "../find-non-json.ts";
export type { NonJson } from "../find-non-json.ts";
export { requireName } from "../require-name.ts";
export { requireMetadata } from "../thread-metadata.ts";
export type { SoundMetadata } from "../thread-metadata.ts";

// Checks of other JSON that a thread keeps
export { noRefusal, refuse, REFUSED, validCopy } from "./checks/check.ts";
export type { Check, Refusal } from "./checks/check.ts";
export { jsonValueCheck, MAX_JSON_DEPTH } from "./checks/json-checks.ts";
export { listCheck, pairCheck } from "./checks/list-checks.ts";
export { kindsCheck, optionalField, recordCheck } from "./checks/object-checks.ts";
export type { FieldChecks, OptionalField } from "./checks/object-checks.ts";
export {
  countCheck,
  integerCheck,
  literalCheck,
  nonEmptyTextCheck,
  numberCheck,
  oneOfCheck,
  textCheck,
  unknownCheck,
} from "./checks/scalar-checks.ts";
