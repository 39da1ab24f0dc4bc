import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
import type { FitSystem } from "../systems/fit-system.ts";
import type { FitFigures, Repeats } from "./fit-one.ts";

const PROCESS = fileURLToPath(new URL("fit-process.ts", import.meta.url));

/** What is fitted, and how often. */
export interface FitRequest extends Repeats {
  readonly sizes: readonly number[];
  readonly windowTokens: number;
}

/** Measures every system on every size, each in a process of its own. */
export function fitAll(
  systems: readonly FitSystem[],
  { sizes, windowTokens, repeats, budgetMs }: FitRequest,
): readonly FitFigures[] {
  return sizes.flatMap((messages) =>
    systems
      .filter(({ maxMessages = Infinity }) => messages <= maxMessages)
      .map(({ name }): FitFigures => {
        const args = [PROCESS, name, messages, windowTokens, repeats, budgetMs].map(String);
        return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
      }),
  );
}

/** Draws what was found, smallest history first. */
export function fitTable(figures: readonly FitFigures[]): ResultTable {
  const { windowTokens = 0 } = figures[0] ?? {};
  return {
    title: `Fit: one call at a window of ${windowTokens.toLocaleString("en")} tokens`,
    note: "Milliseconds, medians. Cold: the first fit, nothing counted. Again: the same history, counts cached where the system can. One more turn: four messages later. Tokenised: tokens that the tokeniser had to give; a dash where the system estimates. Peak: growth of the process. What is left out took longer than some ten seconds a call on a tenth of the messages.",
    head: [
      "messages",
      "system",
      "cold",
      "again",
      "one more turn",
      "tokenised, cold",
      "tokenised, turn",
      "peak MB",
    ],
    rows: figures.map((figure) => [
      figure.messages.toLocaleString("en"),
      figure.system,
      milliseconds(figure.coldMs),
      milliseconds(figure.warmMs),
      milliseconds(figure.oneMoreTurnMs),
      tokens(figure.tokenisedCold),
      tokens(figure.tokenisedTurn),
      figure.peakMb.toFixed(0),
    ]),
    figures,
  };
}

function tokens(count: number | undefined): string {
  return count === undefined ? "–" : Math.round(count).toLocaleString("en");
}

/** What is promised of a fit of 10,000 messages at 8,000 tokens, counts cached; each with what was measured. */
export function fitPromises(
  figures: readonly FitFigures[],
): readonly { readonly promise: string; readonly isKept: boolean; readonly ratio: number }[] {
  const at = (name: string): FitFigures | undefined =>
    figures.find(({ system, messages }) => system === name && messages === 10_000);
  const ours = at("agent-history, plan kept");
  const timesFaster = (name: string, least: number) => {
    const other = at(name);
    if (ours === undefined || other === undefined) return [];
    const ratio = other.warmMs / ours.warmMs;
    const promise = `at least ${least.toLocaleString("en")} times as fast as ${name}`;
    return [{ promise, isKept: ratio >= least, ratio }];
  };
  const bare = at("bare backward walk");
  const turnRatio = (ours?.oneMoreTurnMs ?? 0) / (bare?.oneMoreTurnMs ?? 1);
  const promise = "one more turn within 5 times of the bare backward walk";
  return [
    ...timesFaster("trimMessages, caching counter", 10_000),
    ...timesFaster("Mastra TokenLimiter, best-fit", 100),
    ...(ours === undefined || bare === undefined
      ? []
      : [{ promise, isKept: turnRatio <= 5, ratio: turnRatio }]),
  ];
}
