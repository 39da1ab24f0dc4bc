import type { ActionEntry, HistoryEntry, ObservationEntry } from "@agent-history/core";
import { HistoryError, observation } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryHistory } from "./arbitrary-history.ts";
import type { HistoryConstraints } from "./history-constraints.ts";

/**
 * A defect of a log.
 *
 * - `lost-result`: a call has no result, although its agent has continued
 * - `lost-action`: results whose action is missing
 * - `orphan-result`: a result without a call
 * - `doubled-result`: two results for one call
 * - `result-before-action`: a result precedes its action
 * - `far-result`: a result follows its agent's next action
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
}

/**
 * Generates histories with up to three defects, of up to three entries more. About a fifth of them stays sound: where
 * nothing can break in the drawn way, and where one defect repairs another.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `breakages` is empty, or where `arbitraryHistory` does.
 * @example
 * ```ts
 * import { checkHistory } from "@agent-history/core/check";
 * import { arbitraryBrokenHistory } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * const broken = fc.sample(arbitraryBrokenHistory({ breakages: ["lost-result"] }), 100);
 * broken.some((entries) => checkHistory(entries).some(({ law }) => law === "L1"));
 * // => true
 * ```
 */
export function arbitraryBrokenHistory({
  breakages = BREAKAGES,
  ...constraints
}: BrokenHistoryConstraints = {}): fc.Arbitrary<readonly HistoryEntry[]> {
  if (breakages.length === 0) {
    throw new HistoryError("Expected `breakages` to name one or more.", {
      code: "INVALID_OPTION",
      details: { option: "breakages" },
    });
  }
  const wish = fc.tuple(fc.constantFrom(...breakages), fc.nat(), fc.nat());
  return fc
    .tuple(arbitraryHistory(constraints), fc.array(wish, { minLength: 1, maxLength: 3 }))
    .map(([sound, wishes]) =>
      wishes.reduce(
        (log, [breakage, nth, other]) => BREAKERS[breakage](log, nth, other) ?? log,
        sound,
      ),
    );
}

type Log = readonly HistoryEntry[];

/** Breaks a log at places that two numbers choose; `undefined` where nothing can break this way. */
type Breaker = (log: Log, nth: number, other: number) => Log | undefined;

const BREAKERS: Readonly<Record<Breakage, Breaker>> = {
  "lost-result": ofExchange((log, { isPast }, result) =>
    isPast ? without(log, result) : undefined,
  ),
  "lost-action": ofExchange((log, { action }) => without(log, action)),
  "orphan-result": (log, nth, other) => {
    const agent = pick(log, other)?.agent;
    const call = { callId: "call of nobody", toolName: "search", outcome: "success" } as const;
    const named = { id: unusedId(log), createdAtMs: 0, ...(agent !== undefined && { agent }) };
    const orphan = observation({ ...named, ...call, content: "lost and found" });
    return log.toSpliced(nth % (log.length + 1), 0, orphan);
  },
  "doubled-result": ofExchange((log, { results }, result) =>
    insert(log, results.at(-1), { ...result, id: unusedId(log), content: "again" }),
  ),
  "result-before-action": ofExchange((log, { action }, result) =>
    without(log, result).toSpliced(log.indexOf(action), 0, result),
  ),
  "far-result": ofExchange((log, { next }, result) =>
    next === undefined ? undefined : insert(without(log, result), next, result),
  ),
  "reused-call-id": ofExchange((log, { action, next }) => {
    const id = action.toolCalls[0]?.id;
    if (next === undefined || id === undefined) return undefined;
    return moveBehind(renameCall(log, next, id), log.indexOf(next), log.indexOf(action));
  }),
  "missing-call-id": ofExchange((log, { action }, result, other) =>
    other % 2 === 0
      ? log.with(log.indexOf(result), { ...result, callId: "" })
      : renameCall(log, action, ""),
  ),
  "shuffled-neighbors": ofExchange((log, { action, results }) => {
    const all: Log = [action, ...results];
    return log.map((entry) => all[all.length - 1 - all.indexOf(entry)] ?? entry);
  }),
  "mixed-agents": (log, nth, other) => {
    const named = exchangesOf(log).filter(({ action }) => action.agent !== undefined);
    const one = pick(named, nth);
    const two = pick(
      named.filter(({ action }) => action.agent?.id !== one?.action.agent?.id),
      other,
    );
    if (one === undefined || two === undefined) return undefined;
    const [first = 0, second = 0] = [one, two]
      .map(({ action }) => log.indexOf(action))
      .toSorted((left, right) => left - right);
    const nameless = new Set(
      [one, two].flatMap(({ action, results }): Log => [action, ...results]),
    );
    const stripped = log.map((entry) => (nameless.has(entry) ? withoutAgent(entry) : entry));
    return moveBehind(stripped, second, first);
  },
  "doubled-entry": (log, nth, other) => {
    const entry = pick(log, nth);
    return entry && log.toSpliced(other % (log.length + 1), 0, entry);
  },
  "doubled-id": (log, nth, other) => {
    const [entry, namesake] = [pick(log, nth), pick(log, other)];
    return entry && namesake && log.with(nth % log.length, { ...entry, id: namesake.id });
  },
  "doubled-number": (log, nth, other) => {
    const bearers = log.filter(
      (entry) => entry.type === "observation" || entry.type === "global_observation",
    );
    const source = pick(
      bearers.flatMap(({ sources = [] }) => sources),
      nth,
    );
    const to = pick(bearers, other);
    if (source === undefined || to === undefined) return undefined;
    const usurper = { ...source, id: `not ${source.id}`, text: "Something else." };
    return log.with(log.indexOf(to), { ...to, sources: [...(to.sources ?? []), usurper] });
  },
};

/** An action with its results, as far as they precede its agent's next action. */
interface Exchange {
  readonly action: ActionEntry;
  readonly results: readonly ObservationEntry[];
  readonly next: ActionEntry | undefined;
  /** Its agent has acted or reported since, or the user has spoken. */
  readonly isPast: boolean;
}

const GOES_ON: ReadonlySet<string> = new Set(["action", "assistant_message", "final", "synthesis"]);

/** Returns the exchanges that have a result. */
function exchangesOf(log: Log): readonly Exchange[] {
  return log.flatMap((action, index) => {
    if (action.type !== "action") return [];
    const later = log.slice(index + 1);
    const own = later.filter(({ agent }) => agent?.id === action.agent?.id);
    const next = own.find((entry) => entry.type === "action");
    const results = own
      .slice(0, next && own.indexOf(next))
      .filter((entry) => entry.type === "observation");
    const isPast =
      own.some(({ type }) => GOES_ON.has(type)) ||
      later.some(({ type }) => type === "user_message");
    return results.length === 0 ? [] : [{ action, results, next, isPast }];
  });
}

/** Breaks the first exchange, from the chosen one on, that can break this way. */
function ofExchange(
  breakOne: (
    log: Log,
    exchange: Exchange,
    result: ObservationEntry,
    other: number,
  ) => Log | undefined,
): Breaker {
  return (log, nth, other) => {
    const exchanges = exchangesOf(log);
    for (const offset of exchanges.keys()) {
      const exchange = pick(exchanges, nth + offset);
      const result = exchange && pick(exchange.results, other);
      const broken = exchange && result && breakOne(log, exchange, result, other);
      if (broken !== undefined) return broken;
    }
    return undefined;
  };
}

function pick<Item>(items: readonly Item[], nth: number): Item | undefined {
  return items[nth % items.length];
}

function without(log: Log, entry: HistoryEntry): Log {
  return log.filter((one) => one !== entry);
}

function insert(log: Log, before: HistoryEntry | undefined, entry: HistoryEntry): Log {
  return log.flatMap((one) => (one === before ? [one, entry] : [one]));
}

/** Moves an entry directly behind an earlier one. */
function moveBehind(log: Log, from: number, to: number): Log {
  return log.toSpliced(from, 1).toSpliced(to + 1, 0, ...log.slice(from, from + 1));
}

function unusedId(log: Log): string {
  let count = log.length;
  while (log.some(({ id }) => id === `x${count}`)) count += 1;
  return `x${count}`;
}

/** Gives the first call of an action, and the result behind it, another id; none where a call has this id already. */
function renameCall(log: Log, action: ActionEntry, id: string): Log {
  const [first, ...others] = action.toolCalls;
  if (first === undefined || action.toolCalls.some((call) => call.id === id)) return log;
  const at = log.indexOf(action);
  const result = log.findIndex(
    (entry, index) =>
      index > at &&
      entry.type === "observation" &&
      entry.agent?.id === action.agent?.id &&
      entry.callId === first.id,
  );
  return log.map((entry, index) => {
    if (entry === action) return { ...action, toolCalls: [{ ...first, id }, ...others] };
    return index === result && entry.type === "observation" ? { ...entry, callId: id } : entry;
  });
}

function withoutAgent(entry: HistoryEntry): HistoryEntry {
  const { agent: _, ...nameless } = entry;
  if (nameless.type === "action") return nameless;
  if (nameless.type !== "observation") return entry;
  const { actionId: __, ...result } = nameless;
  return result;
}
