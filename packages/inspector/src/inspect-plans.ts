import type { HistoryEntry } from "@agent-history/core";
import { entryText, LIST_PRICES } from "@agent-history/transcripts";

import type { Inspection } from "./inspection.ts";
import type { InspectorData } from "./inspector-data.ts";
import { columnOf, draftCall } from "./internal/draw-call.ts";
import type { DraftCall } from "./internal/draw-call.ts";
import { findCompactions } from "./internal/find-compactions.ts";
import { requestChanges } from "./internal/request-changes.ts";
import { rowTable } from "./internal/row-table.ts";
import { lengthCounter, LENGTH_COUNTER_ID } from "./length-counter.ts";

/**
 * Computes what the plans of model calls did to each entry of a log, as data for the page. Linear in the entries of all views. A plan that was made for other entries
 * gets an empty column and is listed in `problems`.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { inspectPlans, lengthCounter } from "@agent-history/inspector";
 * import { planReduction } from "@agent-history/reducer";
 *
 * const entries = [userMessage({ id: "q", createdAtMs: 0, content: "Run the tests." })];
 * const plan = planReduction(entries, { counter: lengthCounter(), window: { contextTokens: 1000 } });
 * inspectPlans({ plans: [plan], entries }).calls.map(({ runs, decisions }) => [runs, decisions[0]?.state]);
 * // => [[[[0, 1, 0]], "kept"]]
 * ```
 */
export function inspectPlans(inspection: Inspection): InspectorData {
  const { entries: log, prices = LIST_PRICES, counter = lengthCounter() } = inspection;
  const table = rowTable(log);
  const drafts = inspection.plans.map((plan) =>
    draftCall("plan" in plan ? plan : { plan }, log, counter, table.add),
  );
  const { entries, rowOf } = table.rows();
  const rows = new Map(entries.map(({ id }, row) => [id, row]));
  const rowIn = (id: string, views: readonly DraftCall[]): number | undefined => {
    const numbers = views.flatMap((view) => view.numbers.get(id) ?? []);
    return numbers[0] === undefined ? rows.get(id) : rowOf[numbers[0]];
  };
  const changes = requestChanges(drafts, rowIn, prices);
  const calls = drafts.map((draft, index) => ({
    ...columnOf(draft, index, rowOf, prices),
    change: changes[index],
  }));
  const tokens = entries.map((entry) => counter.countEntry(entry));
  return {
    version: 1,
    title: inspection.title ?? firstRequest(entries) ?? "agent-history",
    entries,
    tokens,
    counterId: counter.id,
    isEstimated: counter.id === LENGTH_COUNTER_ID ? true : undefined,
    calls,
    compactions: findCompactions(entries, tokens),
    prices,
    problems: drafts.flatMap(({ isOther }, index) =>
      isOther
        ? `Call ${index + 1}: its plan was made for other entries. Pass the entries of that fit as \`entries\`.`
        : [],
    ),
  };
}

/** Returns the first request on one line, as a default title. */
function firstRequest(entries: readonly HistoryEntry[]): string | undefined {
  const text = entries.find(({ type }) => type === "user_message");
  const line = text && entryText(text).slice(0, 300).replaceAll(/\s+/g, " ").trim().slice(0, 120);
  return line === "" ? undefined : line;
}
