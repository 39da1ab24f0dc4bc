import { isRendered, overReadable } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import { answeredCalls } from "./answered-calls.ts";
import { isJsonObject } from "./is-json-object.ts";
import { joinDerived } from "./join-derived.ts";
import type { WrittenMessage } from "./join-derived.ts";
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

/**
 * Turns entries into messages, in their order: what came from one message of this format into that message again, with what
 * it says now. An entry that cannot be read is left out, and so is what a
 * model is never shown (`isRendered`). Linear.
 */
export function writeMessages(
  format: MessageFormat,
  entries: readonly HistoryEntry[],
  options: WriteOptions = {},
): readonly object[] {
  const messages = overReadable(entries, (readable) =>
    writeReadable(format, readable.filter(isRendered), options),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one, whatever it is
  return messages as readonly object[];
}

function writeReadable(
  format: MessageFormat,
  entries: readonly HistoryEntry[],
  { viewer = {}, known = () => undefined }: WriteOptions,
): readonly unknown[] {
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
  const written = runs.flatMap((run): readonly WrittenMessage[] => {
    const [first] = run;
    const message = known(run) ?? writeRun(run);
    return message === undefined ? [] : [{ first, message }];
  });
  const { join } = format;
  return join === undefined ? written.map(({ message }) => message) : joinDerived(written, join);

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
