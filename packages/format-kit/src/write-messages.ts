import { DERIVED_TYPES, isObject, isRendered, overReadable, pairCalls } from "@agent-history/core";
import type { HistoryEntry, JsonValue, ToolCall, Viewer } from "@agent-history/core";

import { mergeJson } from "./codecs.ts";
import { isJsonObject } from "./json.ts";
import type { MessageFormat, MessageRun } from "./message-format.ts";

/** How entries are written. */
export interface WriteOptions {
  /** Whose prompt it is. Default: nobody's. */
  readonly viewer?: Viewer;
  /** Returns the message that entries came from and still say, for it to be used as it is: {@link cameAs}. Default: each is written. */
  readonly known?: (run: MessageRun) => object | undefined;
}

/** A message, and the entries that it says. */
export interface WrittenRun {
  readonly run: MessageRun;
  readonly message: unknown;
  /** Whether the entries came from a message of this format. */
  readonly isOwn: boolean;
}

/**
 * Turns entries into messages, in their order: what came from one message of this format into that message again, with what it says now. An
 * entry that cannot be read is left out, and so is what a model is never shown (`isRendered`). Linear.
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
    // A summary, a memory or a recall block stands in the user's message behind it.
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

/**
 * Turns entries into messages, each with the entries that it says, for a format that must do more to a request than {@link writeMessages} does.
 * The format's `join` is not asked. Linear.
 */
export function writeRuns(
  format: MessageFormat,
  entries: readonly HistoryEntry[],
  { viewer = {}, known = () => undefined }: WriteOptions = {},
): readonly WrittenRun[] {
  const { name, shape, types, isAnsweredByProvider, unpack = (packed) => packed } = format;
  const isOwn = ({ type, origin }: HistoryEntry): boolean =>
    origin?.format === name && types.some((one) => one === type);
  return overReadable(entries, (readable) => {
    const shown = readable.filter(isRendered);
    let calls: ReadonlyMap<HistoryEntry, ToolCall> | undefined;
    // Most formats never ask.
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

/** Returns the message that entries were read from, if they are all of its entries and still the same objects. For formats with `came`. */
export function cameAs({ came }: MessageFormat, run: MessageRun): object | undefined {
  const step = came?.get(run[0]);
  const [message] = step?.messages ?? [];
  const isWhole =
    step?.entries.length === run.length && run.every((entry, at) => entry === step.entries[at]);
  return isWhole && typeof message === "object" && message !== null ? message : undefined;
}

/** Returns the message that an entry holds whole, if it does. */
function wholeMessageOf({ type, content }: HistoryEntry): JsonValue | undefined {
  if (type !== "assistant_message" || typeof content === "string") return undefined;
  const [part] = content;
  const isWhole = part?.type === "opaque" && part.extra?.["as"] === "message";
  return isWhole ? part.data : undefined;
}

/**
 * Splits entries into the runs that are one message each: neighbors that came in one message of this format, and neighboring observations that
 * did not. Linear.
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

/** Returns which call each result answers, by core's pairing; a call of another format without its `extra`. Linear. */
export function answeredCalls(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
): ReadonlyMap<HistoryEntry, ToolCall> {
  return overReadable(entries, (readable) => {
    const callOf = new Map<HistoryEntry, ToolCall>();
    for (const [index, answers] of pairCalls(readable).answers) {
      const action = readable[index];
      if (action?.type !== "action") continue;
      for (const [nth, call] of action.toolCalls.entries()) {
        const result = readable[answers[nth] ?? -1];
        const { extra: _, ...foreign } = call;
        if (result !== undefined) callOf.set(result, isOwn(action) ? call : foreign);
      }
    }
    return callOf;
  });
}
