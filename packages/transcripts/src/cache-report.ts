import { breakCauses, likelyCause } from "./break-causes.ts";
import type { BreakCause } from "./break-causes.ts";
import type { MeasuredSession } from "./measured-session.ts";
import { addUsage, promptTokens } from "./model-call.ts";
import type { CallUsage, ModelCall } from "./model-call.ts";
import { LIST_PRICES, priceOf } from "./prices.ts";
import type { PriceTable } from "./prices.ts";

/** How well the prompt cache worked. */
export interface CacheReport {
  readonly usage: CallUsage;
  /** The share of all prompt tokens that were read from the cache. */
  readonly readShare: number;
  /** Calls of the main history. */
  readonly calls: number;
  /** Calls that could have been a break, by its definition. */
  readonly eligible: number;
  readonly breaks: readonly CacheBreak[];
  /** Tokens that breaks made necessary to send again, at the price of input or of a write. */
  readonly sentAgainTokens: number;
}

/** A call that read less from the cache than the call before it had left there. */
export interface CacheBreak extends BreakCause {
  readonly call: ModelCall;
  readonly previous: ModelCall;
  /** Tokens of the previous prompt that were sent again at full price; at most what the call did not read from the cache. */
  readonly sentAgainTokens: number;
}

/** What counts as a break, for those who read the figures. */
export const BREAK_DEFINITION =
  "A break: prompt = input + cache written + cache read. The call read less than 0.7 of the previous call's prompt from the cache, that prompt was over 20,000 tokens and this one is at least 0.7 of it, no compaction came between, both are of the main history, and each message and request id counts once.";

const MIN_PROMPT_TOKENS = 20_000;
const SHARE = 0.7;

/** Reports how well the prompt cache worked in sessions: {@link BREAK_DEFINITION} Linear. */
export function cacheReport(sessions: readonly MeasuredSession[]): CacheReport {
  const calls = sessions.flatMap(mainCalls);
  const pairs = sessions.map((session) => ({ session, eligible: eligiblePairs(session) }));
  const breaks = pairs.flatMap(({ session, eligible }): readonly CacheBreak[] => {
    const causes = breakCauses(session);
    return eligible
      .filter(({ call, previous }) => isBreak(call, previous))
      .map(({ call, previous }) => ({
        ...(causes.get(call.id) ?? likelyCause(call, previous)),
        call,
        previous,
        sentAgainTokens: sentAgain(call, previous),
      }));
  });
  const usage = addUsage(calls.map((call) => call.usage));
  const prompt = promptTokens(usage);
  return {
    usage,
    readShare: prompt === 0 ? 0 : usage.cacheReadTokens / prompt,
    calls: calls.length,
    eligible: pairs.reduce((sum, { eligible }) => sum + eligible.length, 0),
    breaks,
    sentAgainTokens: breaks.reduce((sum, one) => sum + one.sentAgainTokens, 0),
  };
}

function mainCalls({ calls }: MeasuredSession): readonly ModelCall[] {
  return calls.filter(({ agentId }) => agentId === undefined);
}

/** What of the previous prompt was not read; the rest of this prompt is new. */
function sentAgain({ usage }: ModelCall, previous: ModelCall): number {
  const lostTokens = promptTokens(previous.usage) - usage.cacheReadTokens;
  return Math.min(lostTokens, usage.inputTokens + usage.cacheWriteTokens);
}

/** Returns what a break cost beyond reading the same tokens from the cache, in dollars; `undefined` if the model has no price. */
export function breakCost(one: CacheBreak, prices: PriceTable = LIST_PRICES): number | undefined {
  const price = priceOf(one.call.model, prices);
  if (price === undefined) return undefined;
  const { cacheWriteTokens, cacheWrite1hTokens } = one.call.usage;
  const written = cacheWriteTokens === 0 ? price.input : price.cacheWrite;
  const paid = cacheWrite1hTokens > 0 ? price.cacheWrite1h : written;
  return (one.sentAgainTokens * (paid - price.cacheRead)) / 1_000_000;
}

interface Pair {
  readonly call: ModelCall;
  readonly previous: ModelCall;
}

function eligiblePairs(session: MeasuredSession): readonly Pair[] {
  const { compactions } = session;
  const cuts = compactions.filter(({ how, agentId }) => how === "summary" && agentId === undefined);
  let next = 0;
  return mainCalls(session).flatMap((call, index, calls): readonly Pair[] => {
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
