import type { MeasuredSession } from "./measured-session.ts";
import type { ModelCall } from "./model-call.ts";

/** Why a call could not read what the one before it had left in the cache. */
export interface BreakCause {
  /**
   * `reported`: the provider named a reason, which stands in `call.providerReason`. `idle`: the cache's lifetime had passed. `cleared`: old tool results were
   * cleared. `rewound`: the history went on from an older message. `model`: another model answered. `messages`: the beginning of the prompt was read, a message
   * after it was not the same. `evicted`: the log only appended, and the provider no longer had the prefix. `unknown`: none of these.
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
  /** Set if the cause follows from usage and times; otherwise the log names it. */
  readonly isLikely?: true;
  /** How long nothing was sent. */
  readonly idleMs?: number;
  /** The line of the first message that was changed or removed. */
  readonly firstChangedLine?: number;
  /** Whether another setting would have kept the cache; missing where it is not known. */
  readonly isAvoidable?: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A rewind that keeps more of the history leaves most of the cache as it is. */
const KEPT_SHARE = 0.7;

/**
 * Tells from a log, without the tokens that its calls report, before which calls the cache was lost, by the call's id. Of a call's usage it reads only for how long the
 * previous one wrote to the cache. A cause that stands in no log is not found. Linear.
 */
export function breakCauses({
  calls,
  compactions,
  rewinds,
  entries,
}: MeasuredSession): ReadonlyMap<string, BreakCause> {
  const main = calls.filter(({ agentId }) => agentId === undefined);
  const clearings = compactions.filter(({ how, agentId }) => how === "clearing" && !agentId);
  // The rest of a prefix is read as before.
  const branches = rewinds.filter(
    ({ agentId, keptTokens, heldTokens }) =>
      agentId === undefined && keptTokens < KEPT_SHARE * heldTokens,
  );
  const resultLines = new Map<string, number>();
  for (const { callId, line } of entries) if (callId !== undefined) resultLines.set(callId, line);
  const found = new Map<string, BreakCause>();
  // A provider that reports no writes keeps what it read for an hour at most.
  let lifetimeMs = HOUR_MS;
  for (const [index, call] of main.entries()) {
    const previous = main[index - 1];
    if (previous === undefined) continue;
    lifetimeMs = lifetimeOf(previous) ?? lifetimeMs;
    const isBetween = ({ line }: { readonly line: number }): boolean =>
      line > previous.line && line < call.line;
    const cleared = clearings.find(isBetween);
    const branch = branches.find(isBetween);
    const idleMs = idleOf(call, previous);
    if (call.model !== previous.model) found.set(call.id, { cause: "model", isAvoidable: true });
    else if (idleMs > lifetimeMs) {
      const isAvoidable = lifetimeMs < HOUR_MS && idleMs <= HOUR_MS;
      found.set(call.id, { cause: "idle", idleMs, isAvoidable });
    } else if (cleared !== undefined) {
      const lines = (cleared.callIds ?? []).flatMap((id) => resultLines.get(id) ?? []);
      const [first] = lines.toSorted((a, b) => a - b);
      const changed = first === undefined ? {} : { firstChangedLine: first };
      found.set(call.id, { cause: "cleared", ...changed, isAvoidable: false });
    } else if (branch !== undefined) {
      found.set(call.id, { cause: "rewound", firstChangedLine: branch.line, isAvoidable: false });
    }
  }
  return found;
}

/**
 * Returns the likely cause of a break whose log names none, by what the provider reported and for how long nothing was sent.
 *
 * OpenAI keeps a prefix for 5 to 10 minutes of inactivity and routes requests to servers by prefix (its guide *Prompt caching*), and reports no writes. Anthropic reads the longest
 * cached prefix: what was read is unchanged, what follows it is not.
 */
export function likelyCause(call: ModelCall, previous: ModelCall): BreakCause {
  if (call.providerReason !== undefined) return { cause: "reported" };
  const { cacheReadTokens, cacheWriteTokens } = call.usage;
  if (cacheWriteTokens + previous.usage.cacheWriteTokens > 0) {
    return cacheReadTokens > 0 ? { cause: "messages", isLikely: true } : { cause: "unknown" };
  }
  const idleMs = idleOf(call, previous);
  if (idleMs > 5 * MINUTE_MS) return { cause: "idle", isLikely: true, idleMs };
  return { cause: "evicted", isLikely: true, isAvoidable: false };
}

/** For how long a call wrote to the cache, if it did. */
function lifetimeOf({ usage }: ModelCall): number | undefined {
  if (usage.cacheWriteTokens === 0) return undefined;
  return usage.cacheWrite1hTokens > 0 ? HOUR_MS : 5 * MINUTE_MS;
}

/** From the first part of an answer, which follows the write, to the next request. */
function idleOf(call: ModelCall, previous: ModelCall): number {
  const from = previous.answeredAtMs;
  const to = call.askedAtMs ?? call.answeredAtMs;
  return from === undefined || to === undefined ? 0 : to - from;
}
