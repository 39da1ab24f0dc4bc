// The contract of the package: each line is public.

// A format: its messages read and written whole
export type { MessageFormat, ReadContext, WriteContext } from "./message-format.ts";
export type { ParsedMessage } from "./parsed-message.ts";
export { messageReader } from "./message-reader.ts";
export { readMessages } from "./read-messages.ts";
export { requireMessages } from "./require-messages.ts";
export type { MessageReader } from "./message-reader.ts";
export { writeMessages } from "./write-messages.ts";
export { writeRuns } from "./write-runs.ts";
export type { WriteOptions, WrittenRun } from "./write-runs.ts";
export type { MessageRun } from "./message-runs.ts";
export { conversationLog } from "./conversation-log.ts";
export type { ConversationLog } from "./conversation-log.ts";
export { messageLog } from "./message-log.ts";
export type { MessageLog } from "./message-log.ts";

// For formats whose messages are not whole: entries, ids, the same entries for the same object
export { answeredCalls } from "./answered-calls.ts";
export { messageMemory } from "./message-memory.ts";
export type { ConversationMemory, MemoryOptions, MessageMemory } from "./message-memory.ts";
export type { MemoryContext, MessageLocation, ReadResult } from "./message-lookup.ts";
export { notingCalls } from "./noted-calls.ts";
export type { AskedCall, NotedCalls, NotingCalls } from "./noted-calls.ts";
export { countedIds, positionIds } from "./position-ids.ts";
export type { MessagePosition } from "./position-ids.ts";
export { stampDrafts } from "./stamp-drafts.ts";
export type { MessageStamp, ReadOptions } from "./stamp-drafts.ts";

// Content
export {
  partsOf,
  readContent,
  readPart,
  writeContent,
  writePart,
  writeParts,
} from "./part-codec.ts";
export type { PartCodec } from "./part-codec.ts";
export { plainText } from "./plain-text.ts";
export { portableContent } from "./portable-content.ts";
export { fromUrl, toUrl } from "./data-url.ts";
export { shownContent } from "./shown-content.ts";

// Answers and their calls
export { readAnswer, readCompaction } from "./read-answer.ts";
export { sinceCompaction } from "./since-compaction.ts";
export type { AnswerBlock } from "./read-answer.ts";
export { isLateResult, writeAnswer } from "./write-answer.ts";
export { isToolCall, readCall, writeCall } from "./call-codec.ts";
export type { CallCodec } from "./call-codec.ts";
export { placeCalls } from "./place-calls.ts";
export type { PlacedCall } from "./place-calls.ts";
export { waitingCalls } from "./waiting-calls.ts";
export type { KeyedCall, WaitingCalls } from "./waiting-calls.ts";

// What a message says beyond its entry
export { contradicts } from "./contradicts.ts";
export { onlyAdds } from "./only-adds.ts";
export { mergeJson } from "./merge-json.ts";
export { wireDifference } from "./wire-difference.ts";

// Hooks that fit
export { checkFitOptions } from "./check-fit-options.ts";
export type { FitOptionsToCheck } from "./check-fit-options.ts";

// Tools
export { toolParameters } from "./tool-parameters.ts";

// JSON
export { isJsonObject } from "./is-json-object.ts";
export { packBinary, unpackBinary } from "./pack-binary.ts";
export { parseJson } from "./parse-json.ts";
export { toJson, toJsonObject } from "./to-json.ts";
export type { ReplaceObject } from "./to-json.ts";
export { indexOf, nameOf, textOf } from "./wire-text.ts";
export { withoutUndefined } from "./without-undefined.ts";
