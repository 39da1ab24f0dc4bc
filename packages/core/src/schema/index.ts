// The contract of `@agent-history/core/schema`: each line is public.
export { parseEntry } from "./parse-entry.ts";

// The stored form
export { decodeEntries } from "./decode-entries.ts";
export { decodeEntry } from "./decode-entry.ts";
export { encodeEntry, STORED_VERSION } from "./encode-entry.ts";
export type { StoredEntry } from "./encode-entry.ts";

// What stores check besides
export { findNonJson } from "../find-non-json.ts";
export type { NonJson } from "../find-non-json.ts";
export { requireName } from "../require-name.ts";
export { requireMetadata } from "../thread-metadata.ts";
export type { SoundMetadata } from "../thread-metadata.ts";

// zod schemas, to build on
export { contentPartSchema, contentSchema } from "./content-schemas.ts";
export {
  assistantMessageSchema,
  attachmentSchema,
  systemMessageSchema,
  userMessageSchema,
} from "./conversation-entry-schemas.ts";
export {
  delegationSchema,
  finalSchema,
  globalObservationSchema,
  strategicPlanSchema,
  synthesisSchema,
} from "./coordination-entry-schemas.ts";
export { memorySchema, summarySchema } from "./derived-entry-schemas.ts";
export { agentSchema } from "./entry-base-schemas.ts";
export type { EntrySchema } from "./entry-base-schemas.ts";
export { historyEntrySchema } from "./history-entry-schema.ts";
export { jsonObjectSchema, jsonValueSchema, MAX_JSON_DEPTH } from "./json-schemas.ts";
export { opaqueSchema } from "./opaque-entry-schema.ts";
export {
  actionSchema,
  errorEntrySchema,
  observationSchema,
  sourcesSchema,
  taskSchema,
} from "./trace-entry-schemas.ts";
