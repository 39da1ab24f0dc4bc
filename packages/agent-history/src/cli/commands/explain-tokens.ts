import { tiktokenCounter } from "@agent-history/tokens";
import { callsCost, joinTokenReports, sessionMeter, tokenReport } from "@agent-history/transcripts";
import type { MeasuredEntry, TokenReport } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { findSessions } from "../find-sessions.ts";
import { dollarsText, shareText, tokensText } from "../number-text.ts";
import { readSessions } from "../read-sessions.ts";
import { redactor } from "../redactor.ts";
import type { Redactor } from "../redactor.ts";
import { pricesOf, rowLimit } from "../session-options.ts";
import type { SessionOptions } from "../session-options.ts";
import { tokenTables, unseenText } from "../token-tables.ts";
import { wrapProse } from "../wrap-prose.ts";

/** Says where the tokens of sessions went. */
export async function explainTokens(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<void> {
  const heaviest = rowLimit(options);
  const prices = await pricesOf(options);
  const found = await findSessions(context, options, wanted);
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  const read = await readSessions(context, found, {
    meter: () => sessionMeter(counter),
    entries: true,
  });
  const measured = read.flatMap(({ results }) => results);
  const hide = redactor(options.redact === true);
  const reports = read.flatMap(({ session, results }) => {
    const sessionId = hide.session(session.sessionId);
    return results.map((one) => named(hidden(tokenReport(one, { heaviest }), hide), sessionId));
  });
  const report = joinTokenReports(reports, { heaviest });
  if (options.json) {
    context.write(`${JSON.stringify({ sessions: read.length, ...report }, undefined, 2)}\n`);
    return;
  }
  const { usage, promptTokens: prompt, sentTokens } = report;
  const { cost } = callsCost(
    measured.flatMap(({ calls }) => calls),
    prices,
  );
  context.write(
    wrapProse(context.columns, [
      `${read.length} sessions, ${report.calls} calls, ${tokensText(prompt)} prompt tokens (${shareText(usage.cacheReadTokens, prompt)} from cache), ${tokensText(usage.outputTokens)} output, ${dollarsText(cost)} at list prices of ${prices.asOf}`,
      unseenText(prompt, sentTokens),
    ]),
  );
  context.write(tokenTables(context, report, heaviest));
}

/** Says of which session a turn and an entry are: of several, they stand in one table. */
function named(report: TokenReport, sessionId: string): TokenReport {
  const byTurn = report.byTurn.map((turn) => ({
    ...turn,
    name: `${sessionId.slice(0, 10)} ${turn.name}`,
  }));
  return { ...report, byTurn, heaviest: report.heaviest.map((entry) => ({ ...entry, sessionId })) };
}

function hidden(report: TokenReport, hide: Redactor): TokenReport {
  const entry = (one: MeasuredEntry): MeasuredEntry => ({
    ...one,
    id: hide.id(one.id),
    ...(one.callId !== undefined && { callId: hide.id(one.callId) }),
    files: one.files.map(hide.path),
    label: hide.text(one.label),
  });
  return {
    ...report,
    byFile: report.byFile.map((group) => ({ ...group, name: hide.path(group.name) })),
    heaviest: report.heaviest.map(entry),
    repeated: report.repeated.map((one) => ({ ...one, files: one.files.map(hide.path) })),
  };
}
