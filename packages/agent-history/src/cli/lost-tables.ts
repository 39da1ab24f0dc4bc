import type { LostReport, LostTotals } from "@agent-history/transcripts";

import type { CliContext } from "./cli-context.ts";
import { drawTable } from "./draw-table.ts";
import type { Column } from "./draw-table.ts";
import { instantText, shareText, tokensText } from "./number-text.ts";
import { wrapProse } from "./wrap-prose.ts";

interface Lost {
  readonly totals: LostTotals;
  readonly reports: readonly (LostReport & { readonly sessionId: string })[];
  readonly limit: number;
}

const TOTALS: readonly Column[] = [
  { head: "needed after the compaction" },
  { head: "needed", isNumber: true },
  { head: "in the summary", isNumber: true },
  { head: "kept", isNumber: true },
];

const COMPACTIONS: readonly Column[] = [
  { head: "session", leaveOut: 3 },
  { head: "line", isNumber: true },
  { head: "when, UTC", leaveOut: 2 },
  { head: "before", isNumber: true },
  { head: "summary", isNumber: true, leaveOut: 1 },
  { head: "paths kept", isNumber: true },
  { head: "read again", isNumber: true },
  { head: "lost", shrinks: "text" },
];

/** Draws what was needed and kept, over all compactions and for each. */
export function lostTables(context: CliContext, { totals, reports, limit }: Lost): string {
  const rows = totals.rows.map(({ name, needed, kept }) => [
    name,
    `${needed}`,
    `${kept}`,
    shareText(kept, needed),
  ]);
  const most = reports.toSorted((a, b) => goneOf(b).length - goneOf(a).length).slice(0, limit);
  return [
    wrapProse(context.columns, [
      `Compactions with work after them: ${totals.compactions}. Files read before: ${totals.readBefore}, of them read again: ${totals.readAgain}.`,
    ]),
    drawTable(context, TOTALS, rows),
    drawTable(context, COMPACTIONS, most.map(cellsOf)),
  ].join("\n");
}

function goneOf({ paths }: LostReport): readonly string[] {
  return paths.filter(({ isNameKept }) => !isNameKept).map(({ text }) => text);
}

function cellsOf(report: Lost["reports"][number]): readonly string[] {
  const { sessionId, compaction, summaryCharacters, paths, readAgain } = report;
  const kept = paths.filter(({ isNameKept }) => isNameKept).length;
  const characters = `${tokensText(summaryCharacters)} characters`;
  return [
    sessionId.slice(0, 10),
    `${compaction.line}`,
    instantText(compaction.atMs),
    compaction.preTokens === undefined ? "–" : tokensText(compaction.preTokens),
    compaction.isEncrypted ? "encrypted" : characters,
    `${kept} of ${paths.length}`,
    `${readAgain.length}`,
    goneOf(report)
      .map((path) => path.replace(/^.*\//, ""))
      .join(", "),
  ];
}
