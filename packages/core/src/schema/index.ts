// The contract of `@agent-history/core/schema`: each line is public. It loads zod.
export { historyEntrySchema } from "./entry-schemas.ts";
export { findNonJson, jsonValueSchema } from "./json-schemas.ts";

export { validCopy } from "./check-value.ts";

// The stored form
export { decodeEntry, encodeEntry, parseEntry, STORED_VERSION } from "./parse-entry.ts";
export type { StoredEntry } from "./parse-entry.ts";

// What stores check besides
export { requireMetadata, requireName } from "../thread-metadata.ts";
export type { SoundMetadata } from "../thread-metadata.ts";
