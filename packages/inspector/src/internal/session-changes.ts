import { breakCost, promptTokens } from "@agent-history/transcripts";
import type { CacheBreak, PriceTable } from "@agent-history/transcripts";

import type { RequestChange } from "../inspector-data.ts";
import type { SessionPrompt } from "./session-prompts.ts";

interface ChangeContext {
  readonly breaks: readonly CacheBreak[];
  /** The row of the entry that began on a line. */
  readonly rowOfLine: ReadonlyMap<number, number>;
  readonly prices: PriceTable;
}

/** Says how each call of a session continued the one before, by the usage that was logged. */
export function sessionChanges(
  prompts: readonly SessionPrompt[],
  { breaks, rowOfLine, prices }: ChangeContext,
): readonly (RequestChange | undefined)[] {
  const broken = new Map(breaks.map((one) => [one.call.id, one]));
  return prompts.map(({ call, runs, decisions }, index) => {
    const previous = prompts[index - 1];
    if (previous === undefined) return undefined;
    const one = broken.get(call.id);
    const isCut = summarizedRows({ runs, decisions }) > summarizedRows(previous);
    const firstRow =
      one?.firstChangedLine === undefined ? undefined : rowOfLine.get(one.firstChangedLine);
    const cost = one && breakCost(one, prices);
    const provider = call.providerReason;
    return {
      against: index - 1,
      sameTokens: call.usage.cacheReadTokens,
      previousTokens: promptTokens(previous.call.usage),
      isMeasured: true,
      ...(isCut ? { firstRow: 0 } : firstRow !== undefined && { firstRow }),
      what: isCut
        ? "a summary replaces what came before"
        : one
          ? "the cache was lost"
          : "continues the request before",
      reasons: [
        ...(one ? [`${one.isLikely ? "likely" : "log"}: ${CAUSES[one.cause]}`] : []),
        ...(provider === undefined ? [] : [`provider: ${provider}`]),
      ],
      ...(one && AVOIDS[one.cause] !== undefined && { avoid: AVOIDS[one.cause] }),
      sentAgainTokens: one?.sentAgainTokens ?? 0,
      ...(cost !== undefined && { costUsd: cost }),
    };
  });
}

function summarizedRows({ runs, decisions }: Pick<SessionPrompt, "runs" | "decisions">): number {
  const isSummarized = (index: number): boolean => decisions[index]?.state === "summarized";
  return runs.reduce((sum, [, rows, index]) => sum + (isSummarized(index) ? rows : 0), 0);
}

const CAUSES: Readonly<Record<CacheBreak["cause"], string>> = {
  reported: "the provider names a reason",
  idle: "nothing was sent for longer than the cache lives",
  cleared: "old results were cleared",
  rewound: "the history went on from an older message",
  model: "another model answered",
  messages: "a message after the system prompt changed",
  evicted: "the prompt only grew, but the provider no longer had it",
  unknown: "the log gives no cause; tools and system prompts stand in no log",
};

const AVOIDS: Readonly<Partial<Record<CacheBreak["cause"], string>>> = {
  idle: "a cache lifetime of one hour, or a shorter pause",
  cleared: "clearing more results at once, and less often",
  rewound: "a new session for another way",
  model: "one model for a whole task",
  messages: "leaving what was sent as it is",
};
