import { DERIVED_TYPES, groupExchanges, isRendered, overReadable } from "@agent-history/core";
import type { HistoryEntry, JsonValue, ToolCall, ToolRound, Viewer } from "@agent-history/core";

import { isJsonObject } from "./json.ts";
import type { MessageFormat, MessageRun, WriteContext } from "./message-format.ts";
import { mergeJson } from "./wire-difference.ts";

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
  const written = writeRuns(format, entries, options);
  const messages =
    join === undefined ? written.map(({ message }) => message) : joinDerived(written, join);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever it is
  return messages as readonly object[];
}

/**
 * Turns entries into messages, each with the entries that it says, for a format that must do more to a request than {@link writeMessages} does.
 * The format's `join` is not asked. Linear.
 */
export function writeRuns(
  format: MessageFormat,
  entries: readonly HistoryEntry[],
  options: WriteOptions = {},
): readonly WrittenRun[] {
  return overReadable(entries, (readable) =>
    writeReadable(format, readable.filter(isRendered), options),
  );
}

/** Returns the message that entries were read from, if they are all of its entries and still the same objects. For formats with `came`. */
export function cameAs({ came }: MessageFormat, run: MessageRun): object | undefined {
  const step = came?.get(run[0]);
  const [message] = step?.messages ?? [];
  const isWhole =
    step?.entries.length === run.length && run.every((entry, at) => entry === step.entries[at]);
  return isWhole && typeof message === "object" && message !== null ? message : undefined;
}

function writeReadable(
  format: MessageFormat,
  entries: readonly HistoryEntry[],
  { viewer = {}, known = () => undefined }: WriteOptions,
): readonly WrittenRun[] {
  const { name, shape, types, isAnsweredByProvider, unpack = (packed) => packed } = format;
  const isOwn = ({ type, origin }: HistoryEntry): boolean =>
    origin?.format === name && types.some((one) => one === type);
  const callOf = lazyCalls(entries, isOwn);
  const isOfAnswer = (result: HistoryEntry): boolean => {
    const call = isAnsweredByProvider && callOf(result);
    return call !== undefined && isAnsweredByProvider?.(call) === true;
  };
  const runs: readonly MessageRun[] =
    shape === "grouped" ? messageRuns(entries, isOwn, isOfAnswer) : entries.map((entry) => [entry]);
  return runs.flatMap((run): readonly WrittenRun[] => {
    const message = known(run) ?? writeRun(run);
    return message === undefined ? [] : [{ run, message, isOwn: isOwn(run[0]) }];
  });

  function writeRun(run: MessageRun): unknown {
    const [first] = run;
    const own = isOwn(first);
    const whole = own ? wholeMessageOf(first) : undefined;
    if (whole !== undefined) return isJsonObject(whole) ? unpack(whole) : whole;
    const usual = format.write(run, { viewer, isOwn: own, callOf });
    if (usual === undefined) return undefined;
    return unpack(mergeJson(usual, own ? first.origin?.extra : undefined));
  }
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

/** Pairs when it is first asked: most formats never ask. */
function lazyCalls(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
): WriteContext["callOf"] {
  let calls: ReturnType<typeof answeredCalls> | undefined;
  return (result) => {
    calls ??= answeredCalls(entries, isOwn);
    return calls.get(result);
  };
}

/** Returns which call each result answers, by core's pairing; a call of another format without its `extra`. Linear. */
export function answeredCalls(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
): ReadonlyMap<HistoryEntry, ToolCall> {
  return overReadable(entries, (readable) => {
    const callOf = new Map<HistoryEntry, ToolCall>();
    for (const group of groupExchanges(readable)) {
      if (group.kind === "single") continue;
      for (const round of group.rounds) addAnswers(round, isOwn(round.action), callOf);
    }
    return callOf;
  });
}

function addAnswers(
  { action, observations }: ToolRound,
  isOwnCall: boolean,
  callOf: Map<HistoryEntry, ToolCall>,
): void {
  const open = new Map<string, ToolCall[]>();
  for (const call of action.toolCalls.toReversed()) {
    const calls = open.get(call.id);
    if (calls === undefined) open.set(call.id, [call]);
    else calls.push(call);
  }
  for (const result of observations) {
    const call = open.get(result.callId)?.pop();
    if (call !== undefined) callOf.set(result, isOwnCall ? call : withoutExtra(call));
  }
}

function withoutExtra({ extra: _, ...call }: ToolCall): ToolCall {
  return call;
}

/**
 * Puts summaries, memories and recall blocks into the user's message that directly follows them, so that roles alternate. Linear.
 *
 * @param join - Returns both messages as one; `undefined` where they cannot be, which leaves them as they are.
 */
function joinDerived(
  written: readonly WrittenRun[],
  join: (derived: object, message: object) => object | undefined,
): readonly unknown[] {
  const joined: unknown[] = [];
  let following: WrittenRun | undefined;
  for (const one of written.toReversed()) {
    const both =
      following !== undefined && isDerived(one) && following.run[0].type === "user_message"
        ? joinObjects(one.message, following.message, join)
        : undefined;
    if (both === undefined) joined.push(one.message);
    else joined[joined.length - 1] = both;
    following =
      both === undefined || following === undefined ? one : { ...following, message: both };
  }
  return joined.toReversed();
}

function isDerived({ run: [first] }: WrittenRun): boolean {
  return DERIVED_TYPES.some((type) => type === first.type);
}

function joinObjects(
  derived: unknown,
  message: unknown,
  join: (derived: object, message: object) => object | undefined,
): object | undefined {
  const areObjects = typeof derived === "object" && typeof message === "object";
  return areObjects && derived !== null && message !== null ? join(derived, message) : undefined;
}
