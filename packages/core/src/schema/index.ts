// The contract of `@agent-history/core/schema`: each line is public.
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
export { jsonObjectSchema, jsonValueSchema } from "./json-schemas.ts";
export { opaqueSchema } from "./opaque-entry-schema.ts";
export {
  actionSchema,
  errorEntrySchema,
  observationSchema,
  sourcesSchema,
  taskSchema,
} from "./trace-entry-schemas.ts";

// As in `@agent-history/core/stored-form`, which does without zod
export { decodeEntries } from "../stored-form/decode-entries.ts";
export { decodeEntry } from "../stored-form/decode-entry.ts";
export { encodeEntry, STORED_VERSION } from "../stored-form/encode-entry.ts";
export type { StoredEntry } from "../stored-form/encode-entry.ts";
export { MAX_JSON_DEPTH } from "../stored-form/checks/json-checks.ts";
export { parseEntry } from "../stored-form/parse-entry.ts";
export { findNonJson } from "../find-non-json.ts";
export type { NonJson } from "../find-non-json.ts";
export { requireName } from "../require-name.ts";
export { requireMetadata } from "../thread-metadata.ts";
export type { SoundMetadata } from "../thread-metadata.ts";
