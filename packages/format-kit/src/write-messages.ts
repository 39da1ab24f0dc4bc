import { DERIVED_TYPES, isObject, isRendered, overReadable, pairCalls } from "@agent-history/core";
import type { HistoryEntry, JsonValue, ToolCall, Viewer } from "@agent-history/core";

import { isJsonObject, mergeJson } from "./json.ts";
import type { MessageFormat, MessageRun } from "./message-format.ts";

/** Options of {@link writeMessages}. */
export interface WriteOptions {
  /** The reader of the prompt. Default: none. */
  readonly viewer?: Viewer;
  /** Returns the original message of unchanged entries, to be reused as it is. Default: {@link cameAs} of the format. */
  readonly known?: (run: MessageRun) => object | undefined;
}

/** A message and its entries. */
export interface WrittenRun {
  readonly run: MessageRun;
  readonly message: unknown;
  /** Whether the entries were read from a message of this format. */
  readonly isOwn: boolean;
}

/**
 * Writes entries as messages, in order; entries that were read from one message of this format become that message again, with their present content.
 * Leaves out unreadable entries and those that a model is never shown (`isRendered`). Linear.
 */
export function writeMessages(
  format: MessageFormat,
  entries: readonly HistoryEntry[],
  options: WriteOptions = {},
): readonly object[] {
  const { join } = format;
  const messages: unknown[] = [];
  let isUsers = false;
  for (const { run, message } of writeRuns(format, entries, options).toReversed()) {
    const { type } = run[0];
    const next = messages.at(-1);
    // Merge a summary, a memory or a recall block into the user message after it.
    const isJoined = isUsers && DERIVED_TYPES.some((one) => one === type);
    const both = isJoined && isObject(message) && isObject(next) && join?.(message, next);
    if (typeof both === "object") {
      messages[messages.length - 1] = both;
      continue;
    }
    messages.push(message);
    isUsers = type === "user_message";
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever it is
  return messages.toReversed() as readonly object[];
}

/** Prepends the blocks of a user message to the next one; `undefined` if one of them is not a user message. */
export function joinUserMessages(before: object, message: object): object | undefined {
  const [first, next] = [userBlocks(before), userBlocks(message)];
  return first && next && { ...message, content: [...first, ...next] };
}

function userBlocks(message: object): readonly unknown[] | undefined {
  const { type, role = type, content }: Readonly<Record<string, unknown>> = { ...message };
  if (role !== "user" && role !== "human") return undefined;
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content : undefined;
}

/**
 * Writes entries as messages, each with its entries, for a format that adds more to a request than {@link writeMessages} does.
 * Does not call the format's `join`. Linear.
 */
export function writeRuns(
  format: MessageFormat,
  entries: readonly HistoryEntry[],
  { viewer = {}, known = (run) => cameAs(format, run) }: WriteOptions = {},
): readonly WrittenRun[] {
  const { name, shape, types, isAnsweredByProvider, unpack = (packed) => packed } = format;
  const isOwn = ({ type, origin }: HistoryEntry): boolean =>
    origin?.format === name && types.some((one) => one === type);
  return overReadable(entries, (readable) => {
    const shown = readable.filter(isRendered);
    let calls: ReadonlyMap<HistoryEntry, ToolCall> | undefined;
    // Lazy: most formats never ask.
    const callOf = (result: HistoryEntry): ToolCall | undefined => {
      calls ??= answeredCalls(shown, isOwn);
      return calls.get(result);
    };
    const isOfAnswer = (result: HistoryEntry): boolean => {
      const call = isAnsweredByProvider && callOf(result);
      return call !== undefined && isAnsweredByProvider?.(call) === true;
    };
    const write = (run: MessageRun): unknown => {
      const [first] = run;
      const own = isOwn(first);
      const whole = own ? wholeMessageOf(first) : undefined;
      if (whole !== undefined) return isJsonObject(whole) ? unpack(whole) : whole;
      const usual = format.write(run, { viewer, isOwn: own, callOf });
      return usual && unpack(mergeJson(usual, own ? first.origin?.extra : undefined));
    };
    const runs: readonly MessageRun[] =
      shape === "grouped" ? messageRuns(shown, isOwn, isOfAnswer) : shown.map((entry) => [entry]);
    return runs.flatMap((run): readonly WrittenRun[] => {
      const message = known(run) ?? write(run);
      return message === undefined ? [] : [{ run, message, isOwn: isOwn(run[0]) }];
    });
  });
}

/** Returns the original message of entries if they are all of its entries and still the same objects; `undefined` for formats without `came`. */
export function cameAs({ came }: MessageFormat, run: MessageRun): object | undefined {
  const step = came?.get(run[0]);
  const [message] = step?.messages ?? [];
  const isWhole =
    step?.entries.length === run.length && run.every((entry, at) => entry === step.entries[at]);
  return isWhole && typeof message === "object" && message !== null ? message : undefined;
}

/** Returns the message that an entry carries as its opaque part, if any. */
function wholeMessageOf({ type, content }: HistoryEntry): JsonValue | undefined {
  if (type !== "assistant_message" || typeof content === "string") return undefined;
  const [part] = content;
  const isWhole = part?.type === "opaque" && part.extra?.["as"] === "message";
  return isWhole ? part.data : undefined;
}

/**
 * Splits entries into runs that become one message each: neighbors read from one message of this format, and neighboring observations of
 * other origin. Linear.
 */
function messageRuns(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
  isOfAnswer: (observation: HistoryEntry) => boolean,
): readonly MessageRun[] {
  const runs: [HistoryEntry, ...HistoryEntry[]][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run !== undefined && isOneMessage(run[0], entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs;

  function isOneMessage(first: HistoryEntry, entry: HistoryEntry): boolean {
    if (isOwn(first) !== isOwn(entry)) return false;
    if (isOwn(first)) return first.origin?.message === entry.origin?.message;
    const areResults = first.type === "observation" && entry.type === "observation";
    return areResults && isOfAnswer(first) === isOfAnswer(entry);
  }
}

/** Returns the call that each result answers, by core's pairing; a call of another format without its `extra`. Linear. */
export function answeredCalls(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
): ReadonlyMap<HistoryEntry, ToolCall> {
  return overReadable(entries, (readable) => {
    const callOf = new Map<HistoryEntry, ToolCall>();
    for (const { call, action, result } of [...pairCalls(readable).calls.values()].flat()) {
      const [from, answer] = [readable[action], readable[result ?? -1]];
      const { extra: _, ...foreign } = call;
      if (from && answer) callOf.set(answer, isOwn(from) ? call : foreign);
    }
    return callOf;
  });
}
