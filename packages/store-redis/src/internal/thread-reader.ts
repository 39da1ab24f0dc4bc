import type { Answer, Fetch } from "@agent-history/store-kit/indexed";

import { lookUp, lookUpEntries } from "./answer-fetch.ts";
import type { Lookup } from "./answer-fetch.ts";
import { TORN, lookUpPresence } from "./look-up-presence.ts";
import { lookUpThread } from "./look-up-thread.ts";
import type { FoundThread } from "./look-up-thread.ts";
import type { Operation } from "./operation.ts";
import type { RowsAhead } from "./read-ahead.ts";
import type { Command } from "./redis-link.ts";
import { answerFromShort } from "./short-thread.ts";
import type { StoreContext } from "./store-context.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { encodeAncestry } from "./tree.ts";
import { reportRewound } from "./write-thread.ts";

/** Answers the fetches of one call on a thread. */
export interface ThreadReader {
  /** Answers a round: one round trip, but where a fork is read for the first time. */
  readonly answer: (round: readonly Fetch[]) => Promise<readonly Answer[]>;
  /** What the thread was at, once a round has asked. */
  readonly found: () => FoundThread | undefined;
  readonly roundTrips: () => number;
  readonly commands: () => number;
}

/**
 * Reads a thread for one call. All commands of a round go over one connection, in order.
 *
 * @param ahead - What is brought with the look at the thread.
 */
export function threadReader(
  context: StoreContext,
  operation: Operation,
  location: ThreadLocation,
  ahead?: RowsAhead,
): ThreadReader {
  const channel = lookupChannel(context, operation, location);
  let found: FoundThread | undefined;
  let ancestry = context.known.thread(location.threadId)?.ancestry ?? [];

  const whole = (lookups: readonly Lookup[]): Promise<readonly Answer[]> =>
    sendWhole(context, { location, channel, found: () => found }, lookups);

  async function answer(round: readonly Fetch[]): Promise<readonly Answer[]> {
    const known = knownAnswers(found, ahead, round);
    const isKnown = !round.some(({ kind }) => kind === "thread") && !known.includes(undefined);
    const read = isKnown ? known : await ask(round);
    const answered = knownAnswers(found, ahead, round);
    return answered.flatMap((one, nth) => one ?? read[nth] ?? []);
  }

  async function ask(round: readonly Fetch[]): Promise<readonly (Answer | undefined)[]> {
    const planned = ancestry;
    const seen = context.known.thread(location.threadId);
    const lookups = round.map((fetch) =>
      fetch.kind === "thread"
        ? thenKeep(lookUpThread(location, { view: fetch.view, seen }))
        : lookUp(location, planned, fetch),
    );
    const isLook = ahead !== undefined && round.some(({ kind }) => kind === "thread");
    const answers = await whole(isLook ? [...lookups, ahead.lookup] : lookups);
    if (found?.isRewound === true) {
      const seenVersion = seen?.version ?? 0;
      await reportRewound(context, operation, { location, seenVersion, found: found.version });
    }
    // A fork that is read for the first time: its first entries lie in the logs of its ancestors.
    const isOther = encodeAncestry(planned) !== encodeAncestry(ancestry);
    return isOther ? Promise.all(round.map((fetch, nth) => again(fetch, answers[nth]))) : answers;
  }

  async function again(fetch: Fetch, first: Answer | undefined): Promise<Answer | undefined> {
    if (fetch.kind !== "entries" && fetch.kind !== "log") return first;
    const [second] = await whole([lookUpEntries(location, ancestry, fetch)]);
    return second;
  }

  function thenKeep({ commands, read }: Lookup<FoundThread>): Lookup {
    const readAndKeep = (replies: readonly unknown[]): Answer => {
      found = read(replies);
      ({ ancestry } = found);
      if (!found.isRewound) context.known.see(location.threadId, found);
      return found.answer;
    };
    return { commands, read: readAndKeep };
  }

  const { roundTrips, commands } = channel;
  return { answer, found: () => found, roundTrips, commands };
}

/** What a short thread says, which was read whole when the call asked for its head; of a long one what was brought with that. */
function knownAnswers(
  found: FoundThread | undefined,
  ahead: RowsAhead | undefined,
  round: readonly Fetch[],
): readonly (Answer | undefined)[] {
  const short = found?.short;
  return round.map((fetch) => {
    if (fetch.kind === "summaries" && fetch.ids.length === 0) return NO_SUMMARIES;
    return short === undefined ? ahead?.answer(fetch) : answerFromShort(short, fetch);
  });
}

const NO_SUMMARIES: Answer = { kind: "summaries", summaries: [] };

/** Sends a round, and looks behind it whether the thread is the one that the call began with. */
async function sendWhole(
  { known }: StoreContext,
  {
    location,
    channel,
    found,
  }: {
    readonly location: ThreadLocation;
    readonly channel: LookupChannel;
    readonly found: () => FoundThread | undefined;
  },
  lookups: readonly Lookup[],
): Promise<readonly Answer[]> {
  const presence = lookUpPresence(location, found());
  const { replies, behind } = await channel.send(lookups, presence.commands);
  presence.requireLiving(behind);
  let at = 0;
  const answers = lookups.map(({ commands: { length }, read }) =>
    read(replies.slice(at, (at += length))),
  );
  const now = found();
  const isUnasked = behind.length === 0 || now?.isRewound === true;
  if (isUnasked || presence.isPresent(behind, now)) return answers;
  known.forget(location.threadId);
  throw TORN;
}

type LookupChannel = Pick<ThreadReader, "roundTrips" | "commands"> & {
  readonly send: (
    lookups: readonly Lookup[],
    behind: readonly Command[],
  ) => Promise<{ readonly replies: readonly unknown[]; readonly behind: readonly unknown[] }>;
};

/** Sends lookups together, and counts what that takes. */
function lookupChannel(
  { link }: StoreContext,
  operation: Operation,
  location: ThreadLocation,
): LookupChannel {
  let roundTrips = 0;
  let sent = 0;

  const send = async (lookups: readonly Lookup[], behind: readonly Command[]) => {
    const own = lookups.flatMap((lookup) => lookup.commands);
    const commands = own.length === 0 ? [] : [...own, ...behind];
    if (commands.length > 0) roundTrips += 1;
    sent += commands.length;
    const replies = await operation.read(async (signal) => {
      const settled = await link.sendTogether(location.meta, commands, signal);
      return settled.map((reply) => {
        if (reply.status === "rejected") throw reply.reason;
        return reply.value;
      });
    });
    return { replies: replies.slice(0, own.length), behind: replies.slice(own.length) };
  };

  return { send, roundTrips: () => roundTrips, commands: () => sent };
}
