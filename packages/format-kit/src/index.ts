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
  positionIds,
  readMessage,
  readMessages,
  requireMessages,
  stampDrafts,
} from "./read-messages.ts";
export { refuseForeign, refuseForeignTools } from "./refuse-foreign.ts";
export { answeredCalls, cameAs, writeMessages, writeRuns } from "./write-messages.ts";
export type { WriteOptions } from "./write-messages.ts";

// Conversation cache and pending calls
export { readConversation, waitingCalls } from "./read-conversation.ts";
export type {
  ConversationCache,
  KeyedCall,
  ReadOptions,
  ReadStep,
  WaitingCalls,
} from "./read-conversation.ts";

// Content
export {
  contradicts,
  mergeJson,
  onlyAdds,
  readContent,
  readPart,
  wireDifference,
  writeContent,
  writePart,
  writeParts,
} from "./codecs.ts";
export type { PartCodec } from "./codecs.ts";
export {
  fromUrl,
  mediaLines,
  partsOf,
  payloadOf,
  plainText,
  portableContent,
  shownContent,
  sourceOf,
  toUrl,
} from "./content.ts";

// Answers and their calls
export {
  callBlock,
  isLateResult,
  placeCalls,
  placesOf,
  callPlaces,
  readAnswer,
  readCalls,
  readCompaction,
  readUser,
  writeAnswer,
} from "./answer-blocks.ts";
export type { AnswerBlock } from "./answer-blocks.ts";
export { argumentsOf, isToolCall, readCall, writeCall } from "./codecs.ts";
export type { CallCodec } from "./codecs.ts";
export { droppedReasoning } from "./dropped-reasoning.ts";
export type { DroppedReasoning } from "./dropped-reasoning.ts";
export { sinceCompaction } from "./since-compaction.ts";

// Provider targets, counting, and fitting hooks
export {
  checkFitOptions,
  conversationMemory,
  fitForTarget,
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
  fieldRule,
  fieldsChanged,
  mapCalls,
  mapEntries,
  mapParts,
  marksOf,
  repairFor,
} from "./wire-rules.ts";
export type { FieldHolder, WireFault, WireRule } from "./wire-rules.ts";
export { commonRules } from "./common-rules.ts";
export type { CommonRules } from "./common-rules.ts";
export {
  cameWith,
  mapResults,
  objectArguments,
  objectText,
  safeName,
  statedIds,
  withoutKeys,
} from "./call-rules.ts";
export {
  beginsWithUser,
  endsWithUser,
  lastThoughts,
  leadingThoughts,
  mediaBesideResults,
} from "./content-rules.ts";
export { allowedExtra, knownFields, sentFields } from "./field-rules.ts";
export type { AllowedFields } from "./field-rules.ts";

// Tools
export { invalidTool, toolDefinition, toolParameters } from "./tool-parameters.ts";

// JSON
export {
  indexOf,
  isJsonObject,
  nameOf,
  parseJson,
  textOf,
  toJson,
  toJsonObject,
  withoutUndefined,
} from "./json.ts";
export { packBinary, unpackBinary } from "./pack-binary.ts";
export { wellFormedJson } from "./well-formed.ts";
