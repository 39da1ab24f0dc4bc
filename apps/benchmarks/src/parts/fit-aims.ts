import type { ResultTable } from "../report/result-table.ts";
import type { FitMeasured, FitRow } from "./fit.ts";

/** Something that is aimed at, as a ratio to another system, and what was measured. */
export interface FitAim {
  readonly aim: string;
  readonly isMet: boolean;
  /** With the plan of the call before, and stateless. */
  readonly incremental: number;
  readonly stateless: number;
}

const MESSAGES = 10_000;
const INCREMENTAL = "agent-history, incremental";

/** Returns whether a system is the one of which something is aimed at. */
export function isAimedAt(system: string): boolean {
  return system === INCREMENTAL;
}

/** What is aimed at for 10,000 messages at 8,000 tokens, counts cached; met by a call that keeps its plan, as a loop does. */
export function fitAims(rows: readonly FitRow[]): readonly FitAim[] {
  const at = (name: string): FitMeasured | undefined =>
    rows.flatMap((row) => ("because" in row ? [] : [row])).find(isAt(name));
  const incremental = at(INCREMENTAL);
  const stateless = at("agent-history, stateless");
  if (incremental === undefined || stateless === undefined) return [];
  const timesFaster = (name: string, least: number): readonly FitAim[] => {
    const other = at(name);
    if (other === undefined) return [];
    const ratio = other.warmMs / incremental.warmMs;
    return [
      {
        aim: `the same history again: at least ${least.toLocaleString("en")} times as fast as ${name}`,
        isMet: ratio >= least,
        incremental: ratio,
        stateless: other.warmMs / stateless.warmMs,
      },
    ];
  };
  return [
    ...timesFaster("trimMessages, caching counter", 10_000),
    ...timesFaster("Mastra TokenLimiter, best-fit", 100),
    {
      aim: "one more turn: at most 4 times as long as a bare backward walk beside it",
      isMet: incremental.timesBare <= 4,
      incremental: incremental.timesBare,
      stateless: stateless.timesBare,
    },
    {
      aim: "the mean of more turns, with cuts: at most 10 times as long as a bare backward walk beside it",
      isMet: incremental.meanTimesBare <= 10,
      incremental: incremental.meanTimesBare,
      stateless: stateless.meanTimesBare,
    },
  ];
}

function isAt(name: string): (figures: FitMeasured) => boolean {
  return ({ system, messages }) => system === name && messages === MESSAGES;
}

/** Draws the aims beside what was measured. */
export function fitAimsTable(aims: readonly FitAim[]): ResultTable {
  const times = (ratio: number): string =>
    ratio.toLocaleString("en", { maximumFractionDigits: ratio < 100 ? 1 : 0 });
  return {
    title: "Fit: what is aimed at",
    note: "10,000 messages, a window of 8,000 tokens, counts cached. Ratios of the medians above; of one more turn to the bare walk of the same process, the middle of the processes.",
    head: ["aim", "incremental", "stateless", "met"],
    rows: aims.map(({ aim, incremental, stateless, isMet }) => [
      aim,
      times(incremental),
      times(stateless),
      isMet ? "yes" : "no",
    ]),
    figures: aims,
  };
}
