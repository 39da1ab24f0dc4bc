import type { MeasuredSession } from "./measured-session.ts";
import { addUsage, promptTokens } from "./model-call.ts";
import type { CallUsage, ModelCall } from "./model-call.ts";
import { LIST_PRICES, priceOf } from "./prices.ts";
import type { PriceTable } from "./prices.ts";

/** How well the prompt cache worked in sessions. */
export interface CacheReport {
  readonly usage: CallUsage;
  /** Share of all prompt tokens that were read from the cache. */
  readonly readShare: number;
  /** Number of calls in main histories. */
  readonly calls: number;
  /** Number of calls that could have been a break, by its definition. */
  readonly eligible: number;
  readonly breaks: readonly CacheBreak[];
  /** Tokens that were sent again because of breaks, at the price of input or of a cache write. */
  readonly sentAgainTokens: number;
}

/** A call that read less from the cache than the previous call had left there. */
export interface CacheBreak extends BreakCause {
  readonly call: ModelCall;
  readonly previous: ModelCall;
  /** Tokens of the previous prompt that were sent again at full price; at most what the call did not read from the cache. */
  readonly sentAgainTokens: number;
}

/** Definition of a break, for readers of the figures. */
export const BREAK_DEFINITION =
  "A cache break is a call that read less than 70% of the previous call's prompt from the cache, although that prompt had more than 20,000 tokens, its own prompt is at least 70% as long, and no compaction came between. A prompt is input, cache writes and cache reads together. Only the main history counts, and each message and request id counts once.";

const MIN_PROMPT_TOKENS = 20_000;
const SHARE = 0.7;

/** Reports how well the prompt cache worked in sessions: {@link BREAK_DEFINITION} Linear. */
export function cacheReport(sessions: readonly MeasuredSession[]): CacheReport {
  const calls = sessions.flatMap(mainCalls);
  const eligible = sessions.flatMap(eligibleCalls);
  const breaks = eligible.filter(({ call, previous }) => {
    return call.usage.cacheReadTokens < SHARE * promptTokens(previous.usage);
  });
  const usage = addUsage(calls.map((call) => call.usage));
  const prompt = promptTokens(usage);
  return {
    usage,
    readShare: prompt === 0 ? 0 : usage.cacheReadTokens / prompt,
    calls: calls.length,
    eligible: eligible.length,
    breaks,
    sentAgainTokens: breaks.reduce((sum, one) => sum + one.sentAgainTokens, 0),
  };
}

/** Returns the calls that could have read the previous prompt from the cache, with what each would be as a break. */
function eligibleCalls(session: MeasuredSession): readonly CacheBreak[] {
  const causes = breakCauses(session);
  const cuts = session.compactions.filter(({ how, agentId }) => how === "summary" && !agentId);
  return mainCalls(session).flatMap((call, index, calls): readonly CacheBreak[] => {
    const previous = calls[index - 1];
    if (previous === undefined || cuts.some(isBetween(previous, call))) return [];
    const before = promptTokens(previous.usage);
    if (before <= MIN_PROMPT_TOKENS || promptTokens(call.usage) < SHARE * before) return [];
    const { inputTokens, cacheReadTokens, cacheWriteTokens } = call.usage;
    // Other uncached tokens of this prompt are new.
    const sentAgainTokens = Math.min(before - cacheReadTokens, inputTokens + cacheWriteTokens);
    const cause = causes.get(call.id) ?? likelyCause(call, previous);
    return [{ ...cause, call, previous, sentAgainTokens }];
  });
}

/** Returns a test for what was logged between two calls. */
function isBetween(previous: ModelCall, call: ModelCall) {
  return ({ line }: { readonly line: number }): boolean => line > previous.line && line < call.line;
}

function mainCalls({ calls }: MeasuredSession): readonly ModelCall[] {
  return calls.filter(({ agentId }) => agentId === undefined);
}

/** Returns the extra cost of a break over reading the same tokens from the cache, in dollars; `undefined` if the model has no price. */
export function breakCost(one: CacheBreak, prices: PriceTable = LIST_PRICES): number | undefined {
  const price = priceOf(one.call.model, prices);
  if (price === undefined) return undefined;
  const { cacheWriteTokens, cacheWrite1hTokens } = one.call.usage;
  const written = cacheWriteTokens === 0 ? price.input : price.cacheWrite;
  const paid = cacheWrite1hTokens > 0 ? price.cacheWrite1h : written;
  return (one.sentAgainTokens * (paid - price.cacheRead)) / 1_000_000;
}

/** Why a call could not read what the previous call had left in the cache. */
export interface BreakCause {
  /**
   * `reported`: the provider named a reason, in `call.providerReason`. `idle`: the cache had expired. `cleared`: old tool results were
   * cleared. `rewound`: the history continued from an older message. `model`: another model answered. `messages`: the beginning of the prompt was read, but a later
   * message differed. `evicted`: the log only appended, but the provider had dropped the prefix. `unknown`: none of these.
   */
  readonly cause:
    | "reported"
    | "idle"
    | "cleared"
    | "rewound"
    | "model"
    | "messages"
    | "evicted"
    | "unknown";
  /** Set if the cause is inferred from usage and times; otherwise it is in the log. */
  readonly isLikely?: true | undefined;
  /** Time without a request. */
  readonly idleMs?: number | undefined;
  /** The line of the first changed or removed message. */
  readonly firstChangedLine?: number | undefined;
  /** Whether another setting would have kept the cache; missing if unknown. */
  readonly isAvoidable?: boolean | undefined;
}

/** What each cause means, for readers of the figures. */
export const BREAK_CAUSES: Readonly<Record<BreakCause["cause"], string>> = {
  reported: "the provider gave this reason",
  idle: "a pause longer than the cache lifetime",
  cleared: "the tool cleared old results",
  rewound: "the history continued from an older message",
  model: "another model was called",
  messages: "a message after the system prompt changed",
  evicted: "the prompt only grew; the provider evicted it",
  unknown: "not in the log: system prompt, tools or provider",
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A rewind that keeps more of the history than this leaves most of the cache valid. */
const KEPT_SHARE = 0.7;

/**
 * Finds the calls before which the cache was lost, by call id, from the events of a log rather than the reported tokens. Of usage it reads only the cache lifetime of the
 * previous call's write. Causes that the log does not contain are not found. Linear.
 */
export function breakCauses(session: MeasuredSession): ReadonlyMap<string, BreakCause> {
  const { compactions, rewinds, entries } = session;
  const main = mainCalls(session);
  const clearings = compactions.filter(({ how, agentId }) => how === "clearing" && !agentId);
  // Smaller rewinds leave most of the prefix readable.
  const branches = rewinds.filter(
    ({ agentId, keptTokens, heldTokens }) =>
      agentId === undefined && keptTokens < KEPT_SHARE * heldTokens,
  );
  const resultLines = new Map<string, number>();
  for (const { callId, line } of entries) if (callId !== undefined) resultLines.set(callId, line);
  const found = new Map<string, BreakCause>();
  // Providers that report no cache writes keep a prefix for an hour at most.
  let lifetimeMs = HOUR_MS;
  for (const [index, call] of main.entries()) {
    const previous = main[index - 1];
    if (previous === undefined) continue;
    lifetimeMs = lifetimeOf(previous) ?? lifetimeMs;
    const cleared = clearings.find(isBetween(previous, call));
    const branch = branches.find(isBetween(previous, call));
    const idleMs = idleOf(call, previous);
    if (call.model !== previous.model) found.set(call.id, { cause: "model", isAvoidable: true });
    else if (idleMs > lifetimeMs) {
      const isAvoidable = lifetimeMs < HOUR_MS && idleMs <= HOUR_MS;
      found.set(call.id, { cause: "idle", idleMs, isAvoidable });
    } else if (cleared !== undefined) {
      const lines = (cleared.callIds ?? []).flatMap((id) => resultLines.get(id) ?? []);
      const [first] = lines.toSorted((a, b) => a - b);
      found.set(call.id, { cause: "cleared", firstChangedLine: first, isAvoidable: false });
    } else if (branch !== undefined) {
      found.set(call.id, { cause: "rewound", firstChangedLine: branch.line, isAvoidable: false });
    }
  }
  return found;
}

/**
 * Returns the likely cause of a break that the log does not explain, from the reported usage and the idle time.
 *
 * OpenAI keeps a prefix for 5 to 10 minutes of inactivity, routes requests to servers by prefix (its guide *Prompt caching*), and reports no writes. Anthropic reads the longest
 * cached prefix: what was read is unchanged, and what follows has changed.
 */
function likelyCause(call: ModelCall, previous: ModelCall): BreakCause {
  if (call.providerReason !== undefined) return { cause: "reported" };
  const { cacheReadTokens, cacheWriteTokens } = call.usage;
  if (cacheWriteTokens + previous.usage.cacheWriteTokens > 0) {
    return cacheReadTokens > 0 ? { cause: "messages", isLikely: true } : { cause: "unknown" };
  }
  const idleMs = idleOf(call, previous);
  if (idleMs > 5 * MINUTE_MS) return { cause: "idle", isLikely: true, idleMs };
  return { cause: "evicted", isLikely: true, isAvoidable: false };
}

/** Returns the cache lifetime that a call wrote with; `undefined` if it wrote nothing. */
function lifetimeOf({ usage }: ModelCall): number | undefined {
  if (usage.cacheWriteTokens === 0) return undefined;
  return usage.cacheWrite1hTokens > 0 ? HOUR_MS : 5 * MINUTE_MS;
}

/** Returns the time from the first part of an answer, which follows the cache write, to the next request. */
function idleOf(call: ModelCall, previous: ModelCall): number {
  const from = previous.answeredAtMs;
  const to = call.askedAtMs ?? call.answeredAtMs;
  return from === undefined || to === undefined ? 0 : to - from;
}
