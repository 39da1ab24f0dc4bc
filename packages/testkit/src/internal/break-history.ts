import type { HistoryEntry } from "@agent-history/core";

import type { Breakage } from "../breakage.ts";
import { exchangeBreakers } from "./break-exchange.ts";
import { logBreakers } from "./break-log.ts";
import type { BreakableLog, BrokenLog } from "./break-log.ts";
import { soundExchanges } from "./sound-exchanges.ts";

/** A breakage, and where it is to happen, counted in rotation among the places where it can. */
export interface BreakageScript {
  readonly breakage: Breakage;
  readonly choice: number;
  readonly otherChoice: number;
}

/**
 * Breaks a well-formed log. What has nothing to break is left out, so that fewer breakages may come back than went in,
 * or none. No agent's entries are broken twice: a second breakage could repair the first.
 */
export function breakHistory(
  entries: readonly HistoryEntry[],
  scripts: readonly BreakageScript[],
): { readonly entries: readonly HistoryEntry[]; readonly breakages: readonly Breakage[] } {
  const touched = new Set<string | undefined>();
  const breakages: Breakage[] = [];
  let log = entries;
  for (const script of scripts) {
    const broken = breakOnce(log, script, touched);
    if (broken === undefined) continue;
    log = broken.entries;
    breakages.push(script.breakage);
    for (const agentId of broken.touched) touched.add(agentId);
  }
  return { entries: log, breakages };
}

function breakOnce(
  entries: readonly HistoryEntry[],
  { breakage, choice, otherChoice }: BreakageScript,
  touched: ReadonlySet<string | undefined>,
): BrokenLog | undefined {
  const exchanges = soundExchanges(entries).filter(({ agentId }) => !touched.has(agentId));
  const indexes = [...entries.keys()].filter((index) => !touched.has(entries[index]?.agent?.id));
  const log = { entries, exchanges, indexes, choice, otherChoice };
  return logBreakers[breakage]?.(log) ?? breakExchange(breakage, log);
}

/** Breaks the first exchange, from the chosen one on, that can break this way. */
function breakExchange(
  breakage: Breakage,
  { entries, exchanges, choice, otherChoice }: BreakableLog,
): BrokenLog | undefined {
  for (const offset of exchanges.keys()) {
    const exchange = exchanges[(choice + offset) % exchanges.length];
    const broken = exchange && exchangeBreakers[breakage]?.(entries, exchange, otherChoice);
    if (broken !== undefined) return { entries: broken, touched: [exchange?.agentId] };
  }
  return undefined;
}
