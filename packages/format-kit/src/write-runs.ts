import { isRendered, overReadable } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import { answeredCalls } from "./answered-calls.ts";
import { isJsonObject } from "./is-json-object.ts";
import { mergeJson } from "./merge-json.ts";
import type { MessageFormat, WriteContext } from "./message-format.ts";
import { messageRuns } from "./message-runs.ts";
import type { MessageRun } from "./message-runs.ts";
import { wholeMessageOf } from "./whole-message.ts";

/** How entries are written. */
export interface WriteOptions {
  /** Whose prompt it is. Default: nobody's. */
  readonly viewer?: Viewer;
  /** Returns the message that entries came from and still say, for it to be used as it is. Default: each is written. */
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
 * Turns entries into messages, each with the entries that it says, for a format that must do more to a request than {@link writeMessages} does. The
 * format's `join` is not asked. Linear.
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
