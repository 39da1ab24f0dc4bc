import type { ContentPart, HistoryEntry, JsonValue, ToolCall } from "@agent-history/core";

import { isToolCall, readCall, readPart } from "./content.ts";
import type { CallCodec, PartCodec } from "./content.ts";
import { indexOf, isJsonObject, textOf } from "./json.ts";
import type { MessageRun, ParsedMessage } from "./message-format.ts";
import type { KeyedCall, WaitingCalls } from "./read-conversation.ts";

/** One block of a model's answer. */
export type AnswerBlock =
  | { readonly kind: "parts"; readonly parts: readonly ContentPart[] }
  /** `key`: the id by which its result refers to it. */
  | { readonly kind: "call"; readonly call: ToolCall; readonly key: string }
  /** Result of a provider-run tool for a call of an earlier answer. */
  | { readonly kind: "result"; readonly draft: ParsedMessage }
  | { readonly kind: "compaction"; readonly data: JsonValue };

/** Wraps the outcome of `readCall` as a block: a call, or an opaque part if it could not be read as a call. */
export function callBlock(call: ToolCall | ContentPart, key: string | undefined): AnswerBlock {
  return isToolCall(call)
    ? { kind: "call", call, key: key ?? "" }
    : { kind: "parts", parts: [call] };
}

/** Reads a message's list of tool calls. An item that is not a call becomes a part that records its field and index. */
export function readCalls(
  list: JsonValue | undefined,
  codec: CallCodec,
  index: number | string,
): { readonly calls: readonly KeyedCall[]; readonly unknown: readonly ContentPart[] } {
  const calls: KeyedCall[] = [];
  const unknown: ContentPart[] = [];
  for (const [at, wire] of (Array.isArray(list) ? list : []).entries()) {
    const call = readCall(wire, codec, `call_${index}_${at}`);
    const id = isJsonObject(wire) ? textOf(wire["id"]) : undefined;
    if (isToolCall(call)) calls.push({ key: id ?? "", call });
    else unknown.push({ ...call, extra: { field: "tool_calls", index: at } });
  }
  return { calls, unknown };
}

/** Reads the blocks of a user message: each result is an `observation`; the blocks between two results are a `user_message`. */
export function readUser(
  blocks: readonly JsonValue[],
  codec: PartCodec,
  readResult: (block: JsonValue, index: number) => ParsedMessage | undefined,
): readonly ParsedMessage[] {
  const drafts: ParsedMessage[] = [];
  let between: ContentPart[] = [];
  const close = (): void => {
    if (between.length > 0) drafts.push({ says: { type: "user_message", content: between } });
    between = [];
  };
  for (const [index, block] of blocks.entries()) {
    const result = readResult(block, index);
    if (result === undefined) {
      between.push(readPart(block, codec));
    } else {
      close();
      drafts.push(result);
    }
  }
  close();
  return drafts;
}

/**
 * Turns the blocks of one answer into an `action`, or into an `assistant_message` if it has no calls. A compaction becomes its own `summary`;
 * the blocks before and after it become two entries. Results of calls from earlier answers become their own entries and come first, directly after
 * the calls they answer; `writeAnswer` puts them back.
 */
export function readAnswer(
  blocks: readonly AnswerBlock[],
  waiting: WaitingCalls,
): readonly ParsedMessage[] {
  const drafts = blocks.flatMap((block, index): readonly ParsedMessage[] => {
    if (block.kind !== "result") return [];
    const { says, extra } = block.draft;
    return [{ says, extra: { ...extra, late: index } }];
  });
  let segment: AnswerBlock[] = [];
  const close = (): void => {
    if (segment.length > 0) drafts.push(readSegment(segment, waiting));
    segment = [];
  };
  for (const block of blocks) {
    if (block.kind === "compaction") {
      close();
      drafts.push(readCompaction(block.data));
    } else if (block.kind !== "result") {
      segment.push(block);
    }
  }
  close();
  return drafts;
}

/** A provider's compaction summarizes untrusted tool results too, so its trust is `tool`. */
export function readCompaction(data: JsonValue): ParsedMessage {
  const content = [{ type: "opaque", data }] as const;
  return { says: { type: "summary", content, strategy: "provider", trust: "tool" } };
}

function readSegment(blocks: readonly AnswerBlock[], waiting: WaitingCalls): ParsedMessage {
  const content = blocks.flatMap((block) => (block.kind === "parts" ? block.parts : []));
  const lastParts = blocks.findLastIndex((block) => block.kind === "parts");
  const calls = blocks.flatMap((block, index) => {
    if (block.kind !== "call") return [];
    const { key, call } = block;
    const placed = { ...call, extra: { ...call.extra, index } };
    return [{ key, call: index < lastParts ? placed : call }];
  });
  waiting.add(calls);
  const toolCalls = calls.map(({ call }) => call);
  if (toolCalls.length === 0) return { says: { type: "assistant_message", content } };
  return { says: { type: "action", toolCalls, ...(content.length > 0 && { content }) } };
}

/**
 * Writes the entries of one answer, in order. A late result (in a later answer than its call) is put back at its original place
 * among the blocks.
 */
export function writeAnswer<Block>(
  run: MessageRun,
  write: (entry: HistoryEntry) => readonly Block[],
): readonly Block[] {
  const late = run.filter(isLateResult);
  if (late.length === 0) return run.flatMap(write);
  const said = run.filter((entry) => !isLateResult(entry));
  const blocks = said.flatMap((entry) => leftOutBlocks(entry, callPlaces(entry)));
  return placeCalls(
    said.flatMap(write),
    late.flatMap((entry, nth) => {
      const came = indexIn(entry) ?? 0;
      const index = came - countLeftOut(blocks.slice(0, came - nth));
      return write(entry).map((block) => ({ block, index }));
    }),
  );
}

/** Returns the original index of each call of an entry among its blocks. */
function callPlaces(entry: HistoryEntry): readonly (number | undefined)[] {
  const calls = entry.type === "action" ? entry.toolCalls : [];
  return calls.map(({ extra }) => indexOf(extra?.["index"]));
}

/** Returns whether a result came in a later answer than its call. Such a result is not in a message of results. */
export function isLateResult(entry: HistoryEntry): boolean {
  return indexIn(entry) !== undefined;
}

function indexIn({ type, origin }: HistoryEntry): number | undefined {
  return type === "observation" ? indexOf(origin?.extra?.["late"]) : undefined;
}

/**
 * Returns the index of each call among the blocks of its entry now; `undefined`: after all parts. Reasoning that was removed from the entry does not count.
 *
 * @param came - The original indexes of its calls. Default: those that they were read with.
 */
export function placesOf(
  entry: HistoryEntry,
  came: readonly (number | undefined)[] = callPlaces(entry),
): readonly (number | undefined)[] {
  if (entry.leftOut === undefined) return came;
  const blocks = leftOutBlocks(entry, came);
  return came.map((place) => place && place - countLeftOut(blocks.slice(0, place)));
}

/** Returns for each original block of an entry whether it is reasoning that was removed. */
function leftOutBlocks(
  { content, leftOut: places }: HistoryEntry,
  calls: readonly (number | undefined)[],
): readonly boolean[] {
  const leftOut = new Set(places);
  const parts = typeof content === "object" ? content : [];
  const left = parts.filter(({ extra }) => extra?.["joins"] !== true).length;
  const blocks = Array.from({ length: left + leftOut.size }, (_, index) => leftOut.has(index));
  return placeCalls(
    blocks,
    calls.map((index) => ({ block: false, index })),
  );
}

function countLeftOut(blocks: readonly boolean[]): number {
  return blocks.filter((isLeftOut) => isLeftOut).length;
}

/** A written call and its original index among the blocks of its message; `undefined`: after all parts. */
export interface PlacedCall<Block> {
  readonly block: Block;
  readonly index: number | undefined;
}

/** Puts calls back at their index among the parts. If parts were removed since, a call moves up. */
export function placeCalls<Block>(
  parts: readonly Block[],
  calls: readonly PlacedCall<Block>[],
): readonly Block[] {
  const blocks = [...parts];
  const placed = calls
    .filter(({ index }) => index !== undefined)
    .toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0));
  let next = 0;
  for (const { block, index = 0 } of placed) {
    const at = Math.max(next, Math.min(index, blocks.length));
    blocks.splice(at, 0, block);
    next = at + 1;
  }
  return [...blocks, ...calls.filter(({ index }) => index === undefined).map(({ block }) => block)];
}
