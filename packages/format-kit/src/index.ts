// Public API of the package.

// Message formats: reading and writing whole messages
export type {
  MessageFormat,
  MessageRun,
  ParsedMessage,
  ReadContext,
  WriteContext,
} from "./message-format.ts";
export {
  countedIds,
  readInstructions,
  readMessage,
  readMessages,
  requireMessages,
  stampDrafts,
} from "./read-messages.ts";
export { refuseForeign, refuseForeignTools } from "./refuse-foreign.ts";
export {
  answeredCalls,
  cameAs,
  joinUserMessages,
  writeMessages,
  writeRuns,
} from "./write-messages.ts";
export type { WriteOptions } from "./write-messages.ts";

// Conversation cache and pending calls
export { readConversation, waitingCalls } from "./read-conversation.ts";
export type { KeyedCall, ReadOptions, ReadStep, WaitingCalls } from "./read-conversation.ts";

// Content and calls
export { contentText as plainText } from "@agent-history/core";
export {
  argumentsOf,
  dataOf,
  fromUrl,
  isToolCall,
  mediaLines,
  partsOf,
  payloadOf,
  portableContent,
  readCall,
  readContent,
  readPart,
  shownContent,
  sourceOf,
  toUrl,
  writeCall,
  writeContent,
  writePart,
  writeParts,
} from "./content.ts";
export type { CallCodec, PartCodec } from "./content.ts";

// Answers and their calls
export {
  callBlock,
  isLateResult,
  placeCalls,
  placesOf,
  readAnswer,
  readCalls,
  readCompaction,
  readUser,
  writeAnswer,
} from "./answer-blocks.ts";
export type { AnswerBlock } from "./answer-blocks.ts";
export { droppedReasoning } from "./dropped-reasoning.ts";
export type { DroppedReasoning } from "./dropped-reasoning.ts";
export { sinceCompaction } from "./since-compaction.ts";

// Provider targets, counting, and fitting hooks
export {
  checkFitOptions,
  conversationMemory,
  fitForTarget,
  fitWithOptions,
  portableWeight,
  requireSync,
  sendingWith,
  viewerOf,
} from "./fit-for-target.ts";
export type { FitOptions, RepairOption, SyncReducer, TargetFormat } from "./fit-for-target.ts";
export { marksIn, markStable, stableCounts } from "./cache-marks.ts";
export type { CacheMarks } from "./cache-marks.ts";
export { countForTarget } from "./count-request.ts";
export type { CountOptions, RequestCount } from "./count-request.ts";

// Batches for stores
export { storeBatches } from "./store-batches.ts";

// Messages that are new to a server that keeps conversations
export { newMessages, sendOrReplay } from "./continuation.ts";
export type { ContinuedFormat } from "./continuation.ts";

// Wire rules: what a provider refuses, and its repair
export { finishedReasoning, forReader, writtenBy } from "./reader-rules.ts";
export type { AnswerReader } from "./reader-rules.ts";
export {
  combinedRules,
  faultsFor,
  mapCalls,
  mapEntries,
  mapParts,
  marksOf,
  ofFormat,
  refuseRepairs,
  repairFor,
} from "./wire-rules.ts";
export type { WireFault, WireRule } from "./wire-rules.ts";
export {
  commonRules,
  lastThoughts,
  leadingThoughts,
  mediaBesideResults,
  splitResults,
} from "./common-rules.ts";
export type { CommonRules } from "./common-rules.ts";
export { beginsWithUser, endsWithUser, GO_ON } from "./end-rules.ts";
export {
  cameWith,
  mapResults,
  objectArguments,
  objectText,
  safeName,
  statedIds,
} from "./call-rules.ts";
export {
  allowedExtra,
  fieldsChanged,
  knownFields,
  sentFields,
  withoutKeys,
} from "./field-rules.ts";
export type { AllowedFields, FieldHolder } from "./field-rules.ts";

// Tools
export { invalidTool, toolDefinition, toolParameters } from "./tool-parameters.ts";

// JSON
export {
  contradicts,
  indexOf,
  isJsonObject,
  isWellFormed,
  mergeJson,
  nameOf,
  objectOf,
  onlyAdds,
  packBinary,
  parseJson,
  textOf,
  toJson,
  toJsonObject,
  unpackBinary,
  wellFormedJson,
  wireDifference,
  withoutUndefined,
} from "./json.ts";
