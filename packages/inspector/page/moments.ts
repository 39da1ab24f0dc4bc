import { noteCallTitles, priceOf } from "@agent-history/transcripts";

import type { InspectorData } from "../src/inspector-data.ts";
import { decisionAt, number, rowLine } from "./cells.ts";

/** An expensive event. */
export interface Moment {
  /** The index of the call. */
  readonly call: number;
  readonly row?: number;
  /** What happened. */
  readonly what: string;
  /** How it could have been avoided. */
  readonly avoid: string;
  /** At list prices; missing if the model has no price. */
  readonly costUsd?: number;
  /** Its weight in tokens at the full price. */
  readonly weight: number;
}

/** Price of a cached token, as a share of the full price. */
const CACHED = 0.1;
const MOST = 5;

/** Finds the most expensive events: tokens that were sent again, and results that were sent in many calls. Linear. */
export function moments(all: InspectorData): readonly Moment[] {
  const found = [...breaks(all), ...heavyResults(all)];
  // If some calls have no price, only tokens can be compared.
  const isPriced = found.every(({ costUsd }) => costUsd !== undefined);
  const size = ({ costUsd = 0, weight }: Moment): number => (isPriced ? costUsd : weight);
  return found.toSorted((one, other) => size(other) - size(one)).slice(0, MOST);
}

function breaks({ calls }: InspectorData): readonly Moment[] {
  return calls.flatMap(({ change }, call): readonly Moment[] => {
    if (change === undefined || change.sentAgainTokens === 0) return [];
    const { sentAgainTokens, firstRow, what, reasons, avoid, costUsd } = change;
    const why = reasons.length === 0 ? what : `${what} (${reasons.join("; ")})`;
    return [
      {
        call,
        ...(firstRow !== undefined && { row: firstRow }),
        what: `${number(sentAgainTokens)} tokens were sent again: ${why}.`,
        avoid: avoid ?? "use a smaller prompt; nothing else would have kept the cache",
        ...(costUsd !== undefined && { costUsd }),
        weight: sentAgainTokens * (1 - CACHED),
      },
    ];
  });
}

/** Returns tool results with their cost over all calls that sent them. */
function heavyResults(all: InspectorData): readonly Moment[] {
  const times = timesSent(all);
  // Name a result after its call, because results of one tool often begin with the same text.
  const titles = new Map<string, string>();
  for (const entry of all.entries) noteCallTitles(titles, entry);
  return all.entries
    .flatMap(({ type }, row) => {
      const sent = times[row] ?? 0;
      const weight = (all.tokens[row] ?? 0) * (1 + CACHED * (sent - 1));
      return type === "observation" && sent > 1 ? [{ row, sent, weight }] : [];
    })
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, MOST)
    .map(({ row, sent, weight }) => {
      const call = all.calls.findIndex((column) => decisionAt(column, row)?.state === "kept");
      const model = all.calls[call]?.model;
      const result = all.entries[row];
      const title = result?.type === "observation" ? titles.get(result.callId) : undefined;
      const price = model === undefined ? undefined : priceOf(model, all.prices);
      return {
        call,
        row,
        what: `${number(all.tokens[row] ?? 0)} tokens of one result were sent in ${number(sent)} calls: ${(title ?? rowLine(all, row)).slice(0, 90)}`,
        avoid: "read only the part that is needed, or clear the result after use",
        ...(price && { costUsd: (weight * price.input) / 1_000_000 }),
        weight,
      };
    });
}

/** Returns the number of calls that sent each row whole. */
function timesSent({ entries, calls }: InspectorData): readonly number[] {
  const steps = Array.from({ length: entries.length + 1 }, () => 0);
  for (const { runs, decisions } of calls) {
    for (const [row, rows, decision] of runs) {
      if (decisions[decision]?.state !== "kept") continue;
      steps[row] = (steps[row] ?? 0) + 1;
      steps[row + rows] = (steps[row + rows] ?? 0) - 1;
    }
  }
  let sum = 0;
  return steps.map((step) => (sum += step));
}
