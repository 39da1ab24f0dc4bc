import { promptTokens, sessionMeter, sessionSummary } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { drawTable } from "../draw-table.ts";
import type { Column } from "../draw-table.ts";
import { findSessions } from "../find-sessions.ts";
import { dollarsText, instantText, shareText, tokensText } from "../number-text.ts";
import { readSessions } from "../read-sessions.ts";
import { redactor } from "../redactor.ts";
import { pricesOf, rowLimit } from "../session-options.ts";
import type { SessionOptions } from "../session-options.ts";
import { byProject, rowOf } from "../session-rows.ts";
import { wrapProse } from "../wrap-prose.ts";

const COLUMNS: readonly Column[] = [
  { head: "project", shrinks: "path" },
  { head: "session" },
  { head: "last call, UTC", leaveOut: 2 },
  { head: "turns", isNumber: true },
  { head: "calls", isNumber: true, leaveOut: 4 },
  { head: "prompts", isNumber: true },
  { head: "cached", isNumber: true, leaveOut: 3 },
  { head: "output", isNumber: true, leaveOut: 5 },
  { head: "cost", isNumber: true },
  { head: "compacted", isNumber: true, leaveOut: 1 },
];

/** Lists sessions by project, newest first. */
export async function listSessions(context: CliContext, options: SessionOptions): Promise<void> {
  const limit = rowLimit(options);
  const prices = await pricesOf(options);
  const hide = redactor(options.redact === true);
  const found = await findSessions(context, options);
  const meter = () => sessionMeter({ countEntry: () => 0 });
  const read = await readSessions(context, found, { meter, entries: false });
  const rows = byProject(read.map((one) => rowOf(one, hide))).map(({ measured, ...row }) => ({
    ...row,
    ...sessionSummary(measured, prices),
  }));
  if (options.json) {
    context.write(`${JSON.stringify({ prices: prices.asOf, sessions: rows }, undefined, 2)}\n`);
    return;
  }
  const cells = rows
    .slice(0, limit)
    .map(({ project, sessionId, usage, ...row }, index) => [
      project === rows[index - 1]?.project ? "" : project,
      sessionId.slice(0, 10),
      instantText(row.endedAtMs),
      `${row.turns}`,
      `${row.calls}`,
      tokensText(promptTokens(usage)),
      shareText(usage.cacheReadTokens, promptTokens(usage)),
      tokensText(usage.outputTokens),
      row.unpricedCalls === row.calls ? "–" : dollarsText(row.cost),
      `${row.compactions}`,
    ]);
  context.write(drawTable(context, COLUMNS, cells));
  const all = sessionSummary(
    read.flatMap(({ results }) => results),
    prices,
  );
  const hidden = rows.length > limit ? ` (${limit} shown, --limit)` : "";
  const sums = `${rows.length} sessions${hidden}, ${all.calls} calls, ${tokensText(promptTokens(all.usage))} prompt tokens, ${dollarsText(all.cost)} at list prices of ${prices.asOf}.`;
  const unpriced = `${all.unpricedCalls} calls are of models without a price: pass --prices.`;
  const damaged = `${all.problems} lines were damaged or repeated.`;
  const sentences = [sums, ...(all.unpricedCalls > 0 ? [unpriced] : [])];
  const told = all.problems > 0 ? [...sentences, damaged] : sentences;
  context.write(`\n${wrapProse(context.columns, told)}`);
}
