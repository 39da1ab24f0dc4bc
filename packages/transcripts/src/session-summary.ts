import type { MeasuredSession } from "./measured-session.ts";
import { addUsage } from "./model-call.ts";
import type { CallUsage, ModelCall } from "./model-call.ts";
import { LIST_PRICES, priceOf, usageCost } from "./prices.ts";
import type { PriceTable } from "./prices.ts";

/** A session in one line. */
export interface SessionSummary {
  readonly turns: number;
  readonly calls: number;
  readonly usage: CallUsage;
  /** In dollars, at list prices; only calls whose model has a price. */
  readonly cost: number;
  /** Number of calls of models without a price. */
  readonly unpricedCalls: number;
  readonly compactions: number;
  /** Number of lines that were damaged, joined or repeated. */
  readonly problems: number;
  readonly models: readonly string[];
  readonly startedAtMs?: number | undefined;
  readonly endedAtMs?: number | undefined;
}

/** Sums up a session, or all files of one: its own and those of its subagents. Linear. */
export function sessionSummary(
  sessions: readonly MeasuredSession[],
  prices: PriceTable = LIST_PRICES,
): SessionSummary {
  const calls = sessions.flatMap((session) => session.calls);
  const rest = sessions.flatMap((session) => session.rest);
  const times = calls.flatMap((call) => [call.askedAtMs ?? [], call.answeredAtMs ?? []].flat());
  const instants = times.toSorted((a, b) => a - b);
  return {
    turns: sessions.reduce((sum, { turns }) => sum + turns, 0),
    calls: calls.length,
    usage: addUsage([...calls, ...rest].map(({ usage }) => usage)),
    ...callsCost([...calls, ...rest], prices),
    compactions: sessions.flatMap((one) => one.compactions.filter(({ how }) => how === "summary"))
      .length,
    problems: sessions.flatMap(({ problems }) => problems).length,
    models: [...new Set(calls.map(({ model }) => model))],
    startedAtMs: instants[0],
    endedAtMs: instants.at(-1),
  };
}

/** Sums up the cost of calls, in dollars. */
export function callsCost(
  calls: readonly Pick<ModelCall, "model" | "usage">[],
  prices: PriceTable = LIST_PRICES,
): { readonly cost: number; readonly unpricedCalls: number } {
  const costs = calls.flatMap(({ model, usage }) => {
    const price = priceOf(model, prices);
    return price === undefined ? [] : [usageCost(usage, price)];
  });
  const cost = costs.reduce((sum, one) => sum + one, 0);
  return { cost, unpricedCalls: calls.length - costs.length };
}
