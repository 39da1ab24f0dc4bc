import { baseName, LOST_DEFINITIONS, lostMeter, lostTotals } from "@agent-history/transcripts";
import type { LostReport, LostTotals, NeededFact } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, instantText, shareText, tokensText } from "../number-text.ts";
import { redactor } from "../redactor.ts";
import type { Redactor } from "../redactor.ts";
import { findSessions, readSessions, rowLimit, shortId } from "../sessions.ts";
import type { SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, shareBar, wrapProse } from "../table.ts";
import type { Column, Row } from "../table.ts";

type SessionLoss = LostReport & { readonly sessionId: string };

/** Says what agents needed after compactions, and what of it the summaries kept. */
export async function explainLost(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<void> {
  const limit = rowLimit(options);
  const hide = redactor(options.redact === true);
  const found = await findSessions(context, options, wanted);
  const read = await readSessions(context, found, { meter: lostMeter, entries: true });
  const reports: readonly SessionLoss[] = read.flatMap(({ session, results }) =>
    results
      .flat()
      .map((report) => ({ sessionId: hide.session(session.sessionId), ...hidden(report, hide) })),
  );
  const totals = lostTotals(reports);
  if (options.json) {
    const json = { definitions: LOST_DEFINITIONS, ...totals, reports };
    context.write(`${JSON.stringify(json, undefined, 2)}\n`);
    return;
  }
  if (reports.length === 0) {
    context.write(`${countText(read.length, "session")}, no compaction with work after it.\n`);
    return;
  }
  context.write(
    wrapProse(context, [
      `${countText(reports.length, "compaction")} with work after. ${countText(totals.readBefore, "file")} had been read before; ${totals.readAgain} of them were read again.`,
    ]),
  );
  const most = reports.toSorted((a, b) => goneOf(b).length - goneOf(a).length);
  context.write(`\n${drawTable(context, TOTALS, totalRows(totals))}`);
  context.write(`\n${drawTable(context, COMPACTIONS, most.slice(0, limit).map(cellsOf))}`);
  const definitions = Object.entries(LOST_DEFINITIONS).map(([name, text]) => `${name}: ${text}`);
  context.write(`\n${wrapProse(context, definitions)}`);
  context.write(adviceText(context, adviceOf(totals)));
}

function hidden(report: LostReport, hide: Redactor): LostReport {
  const facts = (some: readonly NeededFact[]): readonly NeededFact[] =>
    some.map((fact) => ({ ...fact, text: hide.text(fact.text) }));
  return {
    ...report,
    paths: report.paths.map((path) => ({ ...path, text: hide.path(path.text) })),
    names: facts(report.names),
    numbers: facts(report.numbers),
    errors: facts(report.errors),
    readAgain: report.readAgain.map(hide.path),
  };
}

const TOTALS: readonly Column[] = [
  { head: "needed after the compaction" },
  { head: "needed", isNumber: true },
  { head: "in the summary", isNumber: true },
  { head: "kept", isNumber: true },
  { head: "", leaveOut: 1 },
];

function totalRows({ rows }: LostTotals): readonly Row[] {
  return rows.map(({ name, needed, kept }) => [
    name,
    `${needed}`,
    `${kept}`,
    shareText(kept, needed),
    needed === 0 ? "" : shareBar(kept / needed),
  ]);
}

const COMPACTIONS: readonly Column[] = [
  { head: "session" },
  { head: "line", isNumber: true },
  { head: "when, UTC", leaveOut: 3 },
  { head: "before", isNumber: true, leaveOut: 2 },
  { head: "summary", isNumber: true, leaveOut: 1 },
  { head: "paths kept", isNumber: true },
  { head: "read again", isNumber: true },
  { head: "lost", shrinks: "text" },
];

function goneOf({ paths }: LostReport): readonly string[] {
  return paths.filter(({ isNameKept }) => !isNameKept).map(({ text }) => text);
}

function cellsOf(report: SessionLoss): Row {
  const { sessionId, compaction, summaryCharacters, paths, readAgain } = report;
  const kept = paths.filter(({ isNameKept }) => isNameKept).length;
  const characters = `${tokensText(summaryCharacters)} characters`;
  return [
    { text: shortId(sessionId), paint: "cyan" },
    `${compaction.line}`,
    instantText(compaction.atMs),
    compaction.preTokens === undefined ? "–" : tokensText(compaction.preTokens),
    compaction.isEncrypted ? "encrypted" : characters,
    `${kept} of ${paths.length}`,
    `${readAgain.length}`,
    goneOf(report).map(baseName).join(", "),
  ];
}

function adviceOf({ rows, readAgain }: LostTotals): string {
  const paths = rows.find(({ name }) => name === "paths, by name");
  const lost = (paths?.needed ?? 0) - (paths?.kept ?? 0);
  if (lost === 0) return "The summaries named every path that was needed.";
  const again = readAgain === 0 ? "" : ` (${countText(readAgain, "file")} read again)`;
  return `Summaries left out ${countText(lost, "path")} that the agent needed afterwards${again}: ask for file names in the instructions for compaction, or compare with agent-history replay.`;
}
