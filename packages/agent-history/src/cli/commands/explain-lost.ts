import { LOST_DEFINITIONS, lostMeter, lostTotals } from "@agent-history/transcripts";
import type { LostReport, NeededFact } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { findSessions } from "../find-sessions.ts";
import { lostTables } from "../lost-tables.ts";
import { readSessions } from "../read-sessions.ts";
import { redactor } from "../redactor.ts";
import type { Redactor } from "../redactor.ts";
import { rowLimit } from "../session-options.ts";
import type { SessionOptions } from "../session-options.ts";
import { wrapProse } from "../wrap-prose.ts";

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
  const reports = read.flatMap(({ session, results }) =>
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
    context.write(`${read.length} sessions, no compaction with work after it.\n`);
    return;
  }
  context.write(lostTables(context, { totals, reports, limit }));
  const definitions = Object.entries(LOST_DEFINITIONS).map(([name, text]) => `${name}: ${text}`);
  context.write(`\n${wrapProse(context.columns, definitions)}`);
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
