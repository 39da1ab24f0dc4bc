import { lostMeter } from "@agent-history/transcripts";
import type { EntryItem, LostReport, TranscriptItem } from "@agent-history/transcripts";

import type { DrawnCompaction, DrawnFact } from "../inspector-data.ts";

/** Finds the compactions of a session and compares each summary with what was needed after it. */
export function sessionCompactions(
  items: readonly TranscriptItem[],
  main: readonly EntryItem[],
  tokens: readonly number[],
): readonly DrawnCompaction[] {
  const meter = lostMeter();
  for (const item of items) meter.add(item);
  const reports = new Map(meter.result().map((report) => [report.compaction, report]));
  const rowOf = new Map(main.map((item, row) => [item, row]));
  const found: DrawnCompaction[] = [];
  let waiting: Extract<TranscriptItem, { readonly kind: "compaction" }> | undefined;
  let from = 0;
  for (const item of items) {
    if (item.kind === "compaction" && item.how === "summary" && item.agentId === undefined)
      waiting = item;
    if (item.kind !== "entry" || item.entry.type !== "summary" || waiting === undefined) continue;
    const row = rowOf.get(item);
    if (row === undefined) continue;
    const { trigger, isEncrypted, preTokens } = waiting;
    const counted = tokens.slice(from, row).reduce((sum, count) => sum + count, 0);
    found.push({
      row,
      covers: row > from ? [[from, row - from]] : [],
      runs: item.entry.covers ?? [],
      tokensBefore: preTokens ?? counted,
      tokensAfter: tokens[row] ?? 0,
      ...(trigger !== undefined && { trigger }),
      ...(isEncrypted && { isEncrypted }),
      basis: "needed",
      facts: factsOf(reports.get(waiting)),
    });
    from = row;
    waiting = undefined;
  }
  return found;
}

function factsOf(report: LostReport | undefined): readonly DrawnFact[] {
  if (report === undefined) return [];
  const { paths, names, numbers, errors } = report;
  return [
    ...paths.map(({ text, isNameKept }): DrawnFact => ({ kind: "path", text, isKept: isNameKept })),
    ...names.map(({ text, isKept }): DrawnFact => ({ kind: "name", text, isKept })),
    ...numbers.map(({ text, isKept }): DrawnFact => ({ kind: "number", text, isKept })),
    ...errors.map(({ text, isKept }): DrawnFact => ({ kind: "error", text, isKept })),
  ];
}
