import type { ActionEntry, HistoryEntry, ObservationEntry, Source } from "@agent-history/core";
import { action, countOption, final, HistoryError, observation } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryHistory } from "./arbitrary-history.ts";
import type { HistoryConstraints } from "./arbitrary-history.ts";

/**
 * What can be wrong in a log.
 *
 * - `lost-result`: a call whose agent has gone on has no result
 * - `lost-action`: results whose action is missing
 * - `orphan-result`: a result of a call that nobody made
 * - `doubled-result`: two results for one call
 * - `result-before-action`: a result stands before its action
 * - `far-result`: a result stands after its agent's next exchange
 * - `reused-call-id`: two actions of one agent are open at once and use one call id
 * - `missing-call-id`: a result, or a call and its result, has an empty id
 * - `shuffled-neighbors`: an action and its results stand in reverse
 * - `mixed-agents`: exchanges of two agents interleave, and nothing says whose they are
 * - `doubled-entry`: an entry stands twice
 * - `doubled-id`: two entries carry one id
 * - `doubled-number`: a citation number is used for two sources
 */
export type Breakage = (typeof BREAKAGES)[number];

/** Every {@link Breakage}. */
export const BREAKAGES = [
  "lost-result",
  "lost-action",
  "orphan-result",
  "doubled-result",
  "result-before-action",
  "far-result",
  "reused-call-id",
  "missing-call-id",
  "shuffled-neighbors",
  "mixed-agents",
  "doubled-entry",
  "doubled-id",
  "doubled-number",
] as const;

/** What broken histories to generate: the history as it was, and what happens to it. */
export interface BrokenHistoryConstraints extends HistoryConstraints {
  /** What may happen. Default: everything. */
  readonly breakages?: readonly Breakage[];
  /** How often at most, from 1. Default 3. */
  readonly maxBreakages?: number;
}

/** A history that is broken, and what happened to it, in order. */
export interface BrokenHistory {
  readonly entries: readonly HistoryEntry[];
  readonly breakages: readonly Breakage[];
}

/**
 * Generates histories in which one thing or more is broken; no breakage repairs another. A history that has nothing to
 * break in the wished way gets a few exchanges of two workers at its end, and these are broken.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a count is none, nothing may happen, or `maxEntries` has no
 * room: it takes 8 entries and `maxBreakages` more than the turns do.
 * @example
 * ```ts
 * import { arbitraryBrokenHistory } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * const broken = fc.sample(arbitraryBrokenHistory({ breakages: ["lost-result"] }), 100);
 * broken.every(({ breakages }) => breakages[0] === "lost-result");
 * // => true
 * ```
 */
export function arbitraryBrokenHistory(
  constraints: BrokenHistoryConstraints = {},
): fc.Arbitrary<BrokenHistory> {
  const { breakages = BREAKAGES, maxEntries = 40, ...others } = constraints;
  const maxBreakages = countOption("maxBreakages", constraints.maxBreakages ?? 3);
  const room = countOption("maxEntries", maxEntries) - maxBreakages - BREAKABLE_SIZE;
  if (breakages.length === 0 || maxBreakages === 0 || room < 0) {
    throw new HistoryError(
      "Expected `breakages` to name one or more, `maxBreakages` to be 1 or more, and `maxEntries` to be at least 8 more than that.",
      { code: "INVALID_OPTION", details: { option: "breakages" } },
    );
  }
  const script = fc.record<Wish>({
    breakage: fc.constantFrom(...breakages),
    choice: fc.nat({ max: 999 }),
    otherChoice: fc.nat({ max: 999 }),
  });
  const wishes = fc.array(script, { minLength: 1, maxLength: maxBreakages });
  return fc
    .tuple(arbitraryHistory({ ...others, maxEntries: room }), wishes)
    .map(([entries, wished]) => {
      const broken = breakHistory(entries, wished);
      if (broken.breakages.length > 0) return broken;
      return breakHistory([...entries, ...breakableExchanges(entries)], wished);
    });
}

/** A breakage, and where it is to happen, counted in rotation among the places where it can. */
interface Wish {
  readonly breakage: Breakage;
  readonly choice: number;
  readonly otherChoice: number;
}

/**
 * Breaks a well-formed log. What has nothing to break is left out. No agent's entries are broken twice: a second breakage
 * could repair the first.
 */
function breakHistory(entries: readonly HistoryEntry[], wishes: readonly Wish[]): BrokenHistory {
  const touched = new Set<string | undefined>();
  const breakages: Breakage[] = [];
  let log = entries;
  for (const wish of wishes) {
    const exchanges = soundExchanges(log).filter(({ agentId }) => !touched.has(agentId));
    const indexes = [...log.keys()].filter((index) => !touched.has(log[index]?.agent?.id));
    const broken = BREAKERS[wish.breakage]({ ...wish, entries: log, exchanges, indexes });
    if (broken === undefined) continue;
    log = broken.entries;
    breakages.push(wish.breakage);
    for (const agentId of broken.touched) touched.add(agentId);
  }
  return { entries: log, breakages };
}

/** What a breakage may choose from, and how it chooses. */
interface BreakableLog extends Omit<Wish, "breakage"> {
  readonly entries: readonly HistoryEntry[];
  /** The exchanges of agents that no breakage has touched. */
  readonly exchanges: readonly SoundExchange[];
  /** The entries of such agents, by index. */
  readonly indexes: readonly number[];
}

/** Breaks a log, and says whose entries that touched; `undefined` where nothing can break this way. */
type Breaker = (log: BreakableLog) =>
  | {
      readonly entries: readonly HistoryEntry[];
      readonly touched: readonly (string | undefined)[];
    }
  | undefined;

const BREAKERS: Readonly<Record<Breakage, Breaker>> = {
  "lost-result": ofExchange((entries, { isPast }, { index }) =>
    isPast ? entries.toSpliced(index, 1) : undefined,
  ),

  "lost-action": ofExchange((entries, { action: { index } }) => entries.toSpliced(index, 1)),

  "orphan-result": ({ entries, choice, otherChoice }) => {
    const agent = entries[otherChoice % Math.max(1, entries.length)]?.agent;
    const orphan: ObservationEntry = {
      id: unusedId(entries),
      createdAtMs: 0,
      ...(agent !== undefined && { agent }),
      type: "observation",
      callId: "call of nobody",
      toolName: "search",
      outcome: "success",
      content: "lost and found",
    };
    return { entries: entries.toSpliced(choice % (entries.length + 1), 0, orphan), touched: [] };
  },

  "doubled-result": ofExchange((entries, exchange, { entry }) =>
    entries.toSpliced(endOf(exchange), 0, { ...entry, id: unusedId(entries), content: "again" }),
  ),

  "result-before-action": ofExchange((entries, exchange, { entry, index }) =>
    entries.toSpliced(index, 1).toSpliced(exchange.action.index, 0, entry),
  ),

  "far-result": ofExchange((entries, { next }, { entry, index }) =>
    next === undefined ? undefined : entries.toSpliced(endOf(next), 0, entry).toSpliced(index, 1),
  ),

  "reused-call-id": ofExchange((entries, { action: first, next }) => {
    const shared = first.entry.toolCalls[0]?.id;
    if (next === undefined || shared === undefined) return undefined;
    return moved(renameCall(entries, next, shared), next.action.index, first.index + 1);
  }),

  "missing-call-id": ofExchange((entries, exchange, { entry, index }, choice) =>
    choice % 2 === 0
      ? entries.with(index, { ...entry, callId: "" })
      : renameCall(entries, exchange, ""),
  ),

  "shuffled-neighbors": ofExchange((entries, exchange) => {
    const indexes = indexesOf(exchange);
    const reversed = indexes.toReversed();
    return entries.map((entry, at) => entries[reversed[indexes.indexOf(at)] ?? at] ?? entry);
  }),

  "mixed-agents": ({ entries, exchanges, choice }) => {
    const named = exchanges.filter(({ agentId }) => agentId !== undefined);
    const pairs = named.flatMap((first) =>
      named
        .filter(
          ({ agentId, action: { index } }) =>
            agentId !== first.agentId && index > first.action.index,
        )
        .map((second) => ({ first, second })),
    );
    const pair = pairs[choice % pairs.length];
    if (pair === undefined) return undefined;
    const { first, second } = pair;
    const nameless = new Set([...indexesOf(first), ...indexesOf(second)]);
    const stripped = entries.map((entry, at) => (nameless.has(at) ? withoutAgent(entry) : entry));
    return {
      entries: moved(stripped, second.action.index, first.action.index + 1),
      touched: [first.agentId, second.agentId, undefined],
    };
  },

  "doubled-entry": ({ entries, indexes, choice, otherChoice }) => {
    const entry = entries[indexes[choice % indexes.length] ?? -1];
    if (entry === undefined) return undefined;
    const doubled = entries.toSpliced(otherChoice % (entries.length + 1), 0, entry);
    return { entries: doubled, touched: [entry.agent?.id] };
  },

  "doubled-id": ({ entries, indexes, choice, otherChoice }) => {
    const index = indexes[choice % indexes.length] ?? -1;
    const others = indexes.filter((at) => at !== index);
    const entry = entries[index];
    const other = entries[others[otherChoice % others.length] ?? -1];
    if (entry === undefined || other === undefined) return undefined;
    return {
      entries: entries.with(index, { ...entry, id: other.id }),
      touched: [entry.agent?.id, other.agent?.id],
    };
  },

  "doubled-number": ({ entries, indexes, choice, otherChoice }) => {
    const bearers = indexes.flatMap((index) => {
      const entry = entries[index];
      const canBear = entry?.type === "observation" || entry?.type === "global_observation";
      return canBear ? [{ index, entry }] : [];
    });
    const given = bearers.filter(({ entry }) => (entry.sources ?? []).length > 0);
    const from = given[choice % given.length]?.entry;
    const to = bearers[otherChoice % bearers.length];
    const source = from?.sources?.[0];
    if (source === undefined || to === undefined) return undefined;
    const usurper: Source = { ...source, id: `not ${source.id}`, text: "Something else." };
    const sources = [...(to.entry.sources ?? []), usurper];
    return {
      entries: entries.with(to.index, { ...to.entry, sources }),
      touched: [to.entry.agent?.id, from?.agent?.id],
    };
  },
};

/** Breaks the first exchange, from the chosen one on, that can break this way. */
function ofExchange(
  breakOne: (
    entries: readonly HistoryEntry[],
    exchange: SoundExchange,
    result: Located<ObservationEntry>,
    choice: number,
  ) => readonly HistoryEntry[] | undefined,
): Breaker {
  return ({ entries, exchanges, choice, otherChoice }) => {
    for (const offset of exchanges.keys()) {
      const exchange = exchanges[(choice + offset) % exchanges.length];
      const result = exchange?.results[otherChoice % exchange.results.length];
      if (exchange === undefined || result === undefined) continue;
      const broken = breakOne(entries, exchange, result, otherChoice);
      if (broken !== undefined) return { entries: broken, touched: [exchange.agentId] };
    }
    return undefined;
  };
}

function moved(entries: readonly HistoryEntry[], from: number, to: number) {
  return entries.toSpliced(from, 1).toSpliced(to, 0, ...entries.slice(from, from + 1));
}

function indexesOf({ action: { index }, results }: SoundExchange): readonly number[] {
  return [index, ...results.map((result) => result.index)];
}

/** Returns the index after the last result. */
function endOf(exchange: SoundExchange): number {
  return 1 + Math.max(...indexesOf(exchange));
}

function unusedId(entries: readonly HistoryEntry[]): string {
  const taken = new Set(entries.map(({ id }) => id));
  let count = entries.length;
  while (taken.has(`x${count}`)) count += 1;
  return `x${count}`;
}

/** Returns the first call of an exchange, and its result, another id; a call that has this id already makes it needless. */
function renameCall(
  entries: readonly HistoryEntry[],
  { action: { entry, index }, results }: SoundExchange,
  id: string,
): readonly HistoryEntry[] {
  const [first, ...others] = entry.toolCalls;
  if (first === undefined || entry.toolCalls.some((call) => call.id === id)) return entries;
  const renamed = entries.with(index, { ...entry, toolCalls: [{ ...first, id }, ...others] });
  const result = results.find((one) => one.entry.callId === first.id);
  if (result === undefined) return renamed;
  return renamed.with(result.index, { ...result.entry, callId: id });
}

function withoutAgent(entry: HistoryEntry): HistoryEntry {
  const { agent: _, ...nameless } = entry;
  if (nameless.type === "action") return nameless;
  if (nameless.type !== "observation") return entry;
  const { actionId: __, ...result } = nameless;
  return result;
}

/** An action with all its results, as they follow each other in their agent's own order. */
interface SoundExchange {
  readonly agentId: string | undefined;
  readonly action: Located<ActionEntry>;
  readonly results: readonly Located<ObservationEntry>[];
  /** The next exchange of the same agent, where nothing broken lies between. */
  readonly next: SoundExchange | undefined;
  /** Its agent has acted or handed something up since, or the user has spoken. */
  readonly isPast: boolean;
}

/** An entry and where it stands in the log. */
interface Located<Entry extends HistoryEntry> {
  readonly entry: Entry;
  readonly index: number;
}

/** Finds the exchanges of a log that are valid, also where others are broken. */
function soundExchanges(entries: readonly HistoryEntry[]): readonly SoundExchange[] {
  const lastAsk = entries.findLastIndex(({ type }) => type === "user_message");
  const located = entries.map((entry, index) => ({ entry, index }));
  const agentIds = new Set(entries.map(({ agent }) => agent?.id));
  return [...agentIds].flatMap((agentId) => {
    const lane = located.filter(({ entry }) => entry.agent?.id === agentId);
    const found: SoundExchange[] = [];
    let next: SoundExchange | undefined;
    let isPast = false;
    let results: Located<ObservationEntry>[] = [];
    for (const { entry, index } of lane.toReversed()) {
      if (entry.type === "observation") {
        results.unshift({ entry, index });
        continue;
      }
      if (entry.type === "action" && answersAll(entry, results)) {
        const at = { entry, index };
        next = { agentId, action: at, results, next, isPast: isPast || index < lastAsk };
        found.unshift(next);
      } else if (entry.type === "action" || results.length > 0) next = undefined;
      isPast ||= GOES_ON.has(entry.type);
      results = [];
    }
    return found;
  });
}

const GOES_ON: ReadonlySet<string> = new Set(["action", "assistant_message", "final", "synthesis"]);

function answersAll(
  { toolCalls }: ActionEntry,
  results: readonly Located<ObservationEntry>[],
): boolean {
  const answered = new Set(results.map(({ entry }) => entry.callId));
  return results.length === toolCalls.length && toolCalls.every(({ id }) => answered.has(id));
}

const BREAKABLE_SIZE = 8;

/**
 * Returns a small well-formed piece of log in which every breakage can happen, to stand after a log in which none can: two
 * exchanges of one agent, one of another, both of them done.
 */
function breakableExchanges(before: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const taken = new Set(before.flatMap(({ id, agent }) => [id, agent?.id]));
  let prefix = "breaker";
  while ([...taken].some((id) => id?.startsWith(prefix))) prefix += "'";
  const { createdAtMs = 0, turnId } = before.at(-1) ?? {};
  return [1, 1, 2].flatMap((worker, nth): readonly HistoryEntry[] => {
    const base = (id: string) => ({
      id: `${prefix} ${id} ${nth}`,
      createdAtMs,
      ...(turnId !== undefined && { turnId }),
      agent: { id: `${prefix} ${worker}`, role: "worker" as const },
    });
    const sources = [{ number: 1_000_000 + nth, id: `source ${prefix} ${nth}`, text: "Evidence." }];
    const call = { id: "call_0", name: "search", arguments: "{}" };
    const answer = { callId: "call_0", toolName: "search", outcome: "success" } as const;
    return [
      action({ ...base("action"), toolCalls: [call] }),
      observation({ ...base("result"), ...answer, content: "found", sources }),
      ...(nth === 0 ? [] : [final({ ...base("final"), content: "Done." })]),
    ];
  });
}
