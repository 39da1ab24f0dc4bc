import type { ActionEntry, HistoryEntry, ObservationEntry, Source } from "@agent-history/core";
import { action, countOption, final, HistoryError, observation } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryHistory } from "./arbitrary-history.ts";
import type { HistoryConstraints } from "./arbitrary-history.ts";

/**
 * A defect of a log.
 *
 * - `lost-result`: a call has no result, although its agent has continued
 * - `lost-action`: results whose action is missing
 * - `orphan-result`: a result without a call
 * - `doubled-result`: two results for one call
 * - `result-before-action`: a result precedes its action
 * - `far-result`: a result follows its agent's next exchange
 * - `reused-call-id`: two actions of one agent are open at once and use one call id
 * - `missing-call-id`: a result, or a call and its result, has an empty id
 * - `shuffled-neighbors`: an action and its results are in reverse order
 * - `mixed-agents`: exchanges of two agents interleave, and their entries name no agent
 * - `doubled-entry`: an entry appears twice
 * - `doubled-id`: two entries have the same id
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

/** Which broken histories to generate: the history before, and its defects. */
export interface BrokenHistoryConstraints extends HistoryConstraints {
  /** Possible defects. Default: all. */
  readonly breakages?: readonly Breakage[];
  /** Maximum number of defects, from 1. Default 3. */
  readonly maxBreakages?: number;
}

/** A broken history, and its defects in the order in which they were made. */
export interface BrokenHistory {
  readonly entries: readonly HistoryEntry[];
  readonly breakages: readonly Breakage[];
}

/**
 * Generates histories with one or more defects; no defect repairs another. If a history has nothing that can be broken
 * in the requested way, a few exchanges of two workers are added at its end and broken.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a count is not a non-negative integer, `breakages` is empty, or
 * `maxEntries` is too small: it must be 8 plus `maxBreakages` more than the turns need.
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

type Log = readonly HistoryEntry[];

/**
 * Breaks a well-formed log. Skips defects that are impossible in it. No agent's entries are broken twice, because a second
 * defect could repair the first.
 */
function breakHistory(entries: Log, wishes: readonly Wish[]): BrokenHistory {
  const all = exchangesOf(entries);
  const touched = new Set<string | undefined>();
  const breakages: Breakage[] = [];
  let log = entries;
  for (const wish of wishes) {
    const exchanges = all.filter(({ action: { agent } }) => !touched.has(agent?.id));
    const sound = log.filter(({ agent }) => !touched.has(agent?.id));
    const broken = BREAKERS[wish.breakage]({ ...wish, log, sound, exchanges });
    if (broken === undefined) continue;
    log = broken.log;
    breakages.push(wish.breakage);
    for (const one of broken.touched) touched.add(one?.agent?.id);
  }
  return { entries: log, breakages };
}

/** An action with all its results, as they follow each other in their agent's own order. */
interface Exchange {
  readonly action: ActionEntry;
  readonly results: readonly ObservationEntry[];
  /** The next exchange of the same agent. */
  readonly next?: Exchange;
  /** Its agent has acted or handed something up since, or the user has spoken. */
  readonly isPast: boolean;
}

const GOES_ON: ReadonlySet<string> = new Set(["action", "assistant_message", "final", "synthesis"]);

function exchangesOf(log: Log): readonly Exchange[] {
  const lastAsk = log.findLast(({ type }) => type === "user_message");
  const found: Exchange[] = [];
  for (const agentId of new Set(log.map(({ agent }) => agent?.id))) {
    const lane = log.filter(({ agent }) => agent?.id === agentId);
    let next: Exchange | undefined;
    for (const [index, made] of [...lane.entries()].toReversed()) {
      if (made.type !== "action") continue;
      const { length } = made.toolCalls;
      const rest = lane.slice(index + 1);
      const results = rest.slice(0, length).filter((entry) => entry.type === "observation");
      const isPast =
        rest.some(({ type }) => GOES_ON.has(type)) ||
        (lastAsk !== undefined && log.indexOf(made) < log.indexOf(lastAsk));
      // What its calls have called stands between, or it runs.
      if (results.length < length) continue;
      next = { action: made, results, isPast, ...(next !== undefined && { next }) };
      found.unshift(next);
    }
  }
  return found;
}

/** What a breakage may choose from, and how it chooses. */
interface BreakableLog extends Omit<Wish, "breakage"> {
  readonly log: Log;
  /** The entries and exchanges of agents that no breakage has touched. */
  readonly sound: Log;
  readonly exchanges: readonly Exchange[];
}

/** Breaks a log, and says which entries that touched; `undefined` where nothing can break this way. */
type Breaker = (
  log: BreakableLog,
) => { readonly log: Log; readonly touched: readonly (HistoryEntry | undefined)[] } | undefined;

const BREAKERS: Readonly<Record<Breakage, Breaker>> = {
  "lost-result": ofExchange((log, { isPast }, result) =>
    isPast ? without(log, result) : undefined,
  ),

  "lost-action": ofExchange((log, { action: lost }) => without(log, lost)),

  "orphan-result": ({ log, choice, otherChoice }) => {
    const agent = log[otherChoice % Math.max(1, log.length)]?.agent;
    const orphan = observation({
      id: unusedId(log),
      createdAtMs: 0,
      ...(agent !== undefined && { agent }),
      callId: "call of nobody",
      toolName: "search",
      outcome: "success",
      content: "lost and found",
    });
    return { log: log.toSpliced(choice % (log.length + 1), 0, orphan), touched: [] };
  },

  "doubled-result": ofExchange((log, { results }, result) =>
    behind(log, results.at(-1), { ...result, id: unusedId(log), content: "again" }),
  ),

  "result-before-action": ofExchange((log, { action: after }, result) => {
    const others = without(log, result);
    return others.toSpliced(others.indexOf(after), 0, result);
  }),

  "far-result": ofExchange((log, { next }, result) =>
    next === undefined ? undefined : behind(without(log, result), next.results.at(-1), result),
  ),

  "reused-call-id": ofExchange((log, { action: first, next }) => {
    const id = first.toolCalls[0]?.id;
    if (next === undefined || id === undefined) return undefined;
    const at = log.indexOf(next.action);
    const renamed = renameCall(log, next, id);
    return moved(renamed, at, log.indexOf(first) + 1);
  }),

  "missing-call-id": ofExchange((log, exchange, result, choice) =>
    choice % 2 === 0
      ? log.with(log.indexOf(result), { ...result, callId: "" })
      : renameCall(log, exchange, ""),
  ),

  "shuffled-neighbors": ofExchange((log, { action: first, results }) => {
    const all: Log = [first, ...results];
    return log.map((entry) => all[all.length - 1 - all.indexOf(entry)] ?? entry);
  }),

  "mixed-agents": ({ log, exchanges, choice }) => {
    const named = exchanges.filter(({ action: { agent } }) => agent !== undefined);
    const pairs = named.flatMap((first) =>
      named
        .filter(({ action: { agent } }) => agent?.id !== first.action.agent?.id)
        .filter((second) => log.indexOf(first.action) < log.indexOf(second.action))
        .map((second) => [first, second] as const),
    );
    const pair = pairs[choice % pairs.length];
    if (pair === undefined) return undefined;
    const [first, second] = pair;
    const nameless = new Set(pair.flatMap((one): Log => [one.action, ...one.results]));
    const stripped = log.map((entry) => (nameless.has(entry) ? withoutAgent(entry) : entry));
    return {
      log: moved(stripped, log.indexOf(second.action), log.indexOf(first.action) + 1),
      touched: [first.action, second.action, undefined],
    };
  },

  "doubled-entry": ({ log, sound, choice, otherChoice }) => {
    const entry = sound[choice % sound.length];
    if (entry === undefined) return undefined;
    return { log: log.toSpliced(otherChoice % (log.length + 1), 0, entry), touched: [entry] };
  },

  "doubled-id": ({ log, sound, choice, otherChoice }) => {
    const entry = sound[choice % sound.length];
    const others = sound.filter((one) => one !== entry);
    const other = others[otherChoice % others.length];
    if (entry === undefined || other === undefined) return undefined;
    const doubled = log.with(log.indexOf(entry), { ...entry, id: other.id });
    return { log: doubled, touched: [entry, other] };
  },

  "doubled-number": ({ log, sound, choice, otherChoice }) => {
    const bearers = sound.filter(
      (entry) => entry.type === "observation" || entry.type === "global_observation",
    );
    const given = bearers.filter(({ sources = [] }) => sources.length > 0);
    const from = given[choice % given.length];
    const to = bearers[otherChoice % bearers.length];
    const source = from?.sources?.[0];
    if (source === undefined || to === undefined) return undefined;
    const usurper: Source = { ...source, id: `not ${source.id}`, text: "Something else." };
    const usurped = { ...to, sources: [...(to.sources ?? []), usurper] };
    return { log: log.with(log.indexOf(to), usurped), touched: [to, from] };
  },
};

/** Breaks the first exchange, from the chosen one on, that can break this way. */
function ofExchange(
  breakOne: (
    log: Log,
    exchange: Exchange,
    result: ObservationEntry,
    choice: number,
  ) => Log | undefined,
): Breaker {
  return ({ log, exchanges, choice, otherChoice }) => {
    for (const offset of exchanges.keys()) {
      const exchange = exchanges[(choice + offset) % exchanges.length];
      const result = exchange?.results[otherChoice % exchange.results.length];
      if (exchange === undefined || result === undefined) continue;
      const broken = breakOne(log, exchange, result, otherChoice);
      if (broken !== undefined) return { log: broken, touched: [exchange.action] };
    }
    return undefined;
  };
}

function without(log: Log, entry: HistoryEntry): Log {
  return log.filter((one) => one !== entry);
}

function behind(log: Log, before: HistoryEntry | undefined, entry: HistoryEntry): Log {
  return log.flatMap((one) => (one === before ? [one, entry] : [one]));
}

function moved(log: Log, from: number, to: number): Log {
  return log.toSpliced(from, 1).toSpliced(to, 0, ...log.slice(from, from + 1));
}

function unusedId(log: Log): string {
  const taken = new Set(log.map(({ id }) => id));
  let count = log.length;
  while (taken.has(`x${count}`)) count += 1;
  return `x${count}`;
}

/** Gives the first call of an exchange, and its result, another id; a call that has this id already makes it needless. */
function renameCall(log: Log, { action: made, results }: Exchange, id: string): Log {
  const [first, ...others] = made.toolCalls;
  if (first === undefined || made.toolCalls.some((call) => call.id === id)) return log;
  const result = results.find(({ callId }) => callId === first.id);
  return log.map((entry) => {
    if (entry === made) return { ...made, toolCalls: [{ ...first, id }, ...others] };
    return entry === result ? { ...result, callId: id } : entry;
  });
}

function withoutAgent(entry: HistoryEntry): HistoryEntry {
  const { agent: _, ...nameless } = entry;
  if (nameless.type === "action") return nameless;
  if (nameless.type !== "observation") return entry;
  const { actionId: __, ...result } = nameless;
  return result;
}

const BREAKABLE_SIZE = 8;

/**
 * Returns a small well-formed piece of log in which every breakage can happen, to stand after a log in which none can: two
 * exchanges of one agent, one of another, both of them done.
 */
function breakableExchanges(before: Log): Log {
  const taken = before.flatMap(({ id, agent }) => [id, agent?.id ?? ""]);
  let prefix = "breaker";
  while (taken.some((id) => id.startsWith(prefix))) prefix += "'";
  const { createdAtMs = 0, turnId } = before.at(-1) ?? {};
  return [1, 1, 2].flatMap((worker, nth): Log => {
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
