import { breakCauses } from "./break-causes.ts";
import type { BreakCause } from "./break-causes.ts";
import type { MeasuredSession } from "./measured-session.ts";
import { addUsage, promptTokens } from "./model-call.ts";
import type { CallUsage, ModelCall } from "./model-call.ts";
import { LIST_PRICES, priceOf } from "./prices.ts";
import type { PriceTable } from "./prices.ts";

/** How well the prompt cache worked in a session. */
export interface CacheReport {
  readonly usage: CallUsage;
  /** The share of all prompt tokens that were read from the cache. */
  readonly readShare: number;
  /** Calls of the main history. */
  readonly calls: number;
  /** Calls that could have been a break, by its definition. */
  readonly eligible: number;
  readonly breaks: readonly CacheBreak[];
  /** Of all tokens written, those that a break made necessary. */
  readonly rewrittenTokens: number;
  /** Causes that the log gives for eligible calls that were no break: how far causes can be believed. */
  readonly falseCauses: number;
}

/** A call that read less from the cache than the call before it had left there. */
export interface CacheBreak extends BreakCause {
  readonly call: ModelCall;
  readonly previous: ModelCall;
  /** Tokens of the previous prompt that were not read. */
  readonly lostTokens: number;
}

/** What counts as a break, for those who read the figures. */
export const BREAK_DEFINITION =
  "A break: prompt = input + cache written + cache read. The call read less than 0.7 of the previous call's prompt from the cache, that prompt was over 20,000 tokens and this one is at least 0.7 of it, no compaction came between, both are of the main history, and each message and request id counts once.";

const MIN_PROMPT_TOKENS = 20_000;
const SHARE = 0.7;

/** Reports how well the prompt cache worked in a session: {@link BREAK_DEFINITION} Linear. */
export function cacheReport(session: MeasuredSession): CacheReport {
  const calls = session.calls.filter(({ agentId }) => agentId === undefined);
  const causes = breakCauses(session);
  const eligible = eligiblePairs(session, calls);
  const breaks = eligible.flatMap(({ call, previous }): readonly CacheBreak[] => {
    if (!isBreak(call, previous)) return [];
    const lostTokens = promptTokens(previous.usage) - call.usage.cacheReadTokens;
    return [{ ...(causes.get(call.id) ?? { cause: "unknown" }), call, previous, lostTokens }];
  });
  const usage = addUsage(calls.map((call) => call.usage));
  const prompt = promptTokens(usage);
  const told = eligible.filter(({ call }) => causes.has(call.id)).length;
  return {
    usage,
    readShare: prompt === 0 ? 0 : usage.cacheReadTokens / prompt,
    calls: calls.length,
    eligible: eligible.length,
    breaks,
    rewrittenTokens: breaks.reduce((sum, one) => sum + rewrittenTokens(one), 0),
    falseCauses: told - breaks.filter(({ cause }) => cause !== "unknown").length,
  };
}

/** The lost tokens that the call paid for again: the rest of its prompt may be new. */
export function rewrittenTokens({ call, lostTokens }: CacheBreak): number {
  const { inputTokens, cacheWriteTokens } = call.usage;
  return Math.min(lostTokens, inputTokens + cacheWriteTokens);
}

/** Returns what a break cost beyond reading the same tokens from the cache, in dollars; `undefined` if the model has no price. */
export function breakCost(one: CacheBreak, prices: PriceTable = LIST_PRICES): number | undefined {
  const price = priceOf(one.call.model, prices);
  if (price === undefined) return undefined;
  const { cacheWriteTokens, cacheWrite1hTokens } = one.call.usage;
  const written = cacheWriteTokens === 0 ? price.input : price.cacheWrite;
  const paid = cacheWrite1hTokens > 0 ? price.cacheWrite1h : written;
  return (rewrittenTokens(one) * (paid - price.cacheRead)) / 1_000_000;
}

interface Pair {
  readonly call: ModelCall;
  readonly previous: ModelCall;
}

function eligiblePairs(
  { compactions }: MeasuredSession,
  calls: readonly ModelCall[],
): readonly Pair[] {
  const cuts = compactions.filter(({ how, agentId }) => how === "summary" && agentId === undefined);
  let next = 0;
  return calls.flatMap((call, index): readonly Pair[] => {
    let isCut = false;
    for (; (cuts[next]?.line ?? Infinity) < call.line; next += 1) isCut = true;
    const previous = calls[index - 1];
    if (previous === undefined || isCut) return [];
    const before = promptTokens(previous.usage);
    const isEligible = before > MIN_PROMPT_TOKENS && promptTokens(call.usage) >= SHARE * before;
    return isEligible ? [{ call, previous }] : [];
  });
}

function isBreak(call: ModelCall, previous: ModelCall): boolean {
  return call.usage.cacheReadTokens < SHARE * promptTokens(previous.usage);
}
