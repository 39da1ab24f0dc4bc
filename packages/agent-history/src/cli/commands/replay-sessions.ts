import { HistoryError } from "@agent-history/core";
import { replaySummary } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { findSessions } from "../find-sessions.ts";
import { itemCollector, readSessions } from "../read-sessions.ts";
import { redactor } from "../redactor.ts";
import { replayOne } from "../replay-one.ts";
import { replayTable } from "../replay-table.ts";
import type { ReplayRow } from "../replay-table.ts";
import { pricesOf, rowLimit } from "../session-options.ts";
import type { SessionOptions } from "../session-options.ts";

export interface ReplayCommandOptions extends SessionOptions {
  readonly window: string;
}

/** Says what our fit would have sent at each call of sessions, beside what was sent. */
export async function replaySessions(
  context: CliContext,
  wanted: string | undefined,
  options: ReplayCommandOptions,
): Promise<void> {
  const contextTokens = Number(options.window);
  if (!Number.isInteger(contextTokens) || contextTokens <= 0) {
    const details = { option: "window" };
    throw new HistoryError("Expected --window to be a number of tokens, such as 100000.", {
      code: "INVALID_OPTION",
      details,
    });
  }
  const limit = rowLimit(options);
  const prices = await pricesOf(options);
  const hide = redactor(options.redact === true);
  const found = await findSessions(context, options, wanted);
  const rows: ReplayRow[] = [];
  for (const session of found) {
    const [read] = await readSessions(context, [{ ...session, files: session.files.slice(0, 1) }], {
      meter: itemCollector,
      entries: true,
    });
    const items = read?.results[0] ?? [];
    context.tell(context.isLive ? `\rreplaying ${rows.length + 1} of ${found.length}` : "");
    const replayed = await replayOne(items, contextTokens);
    const sessionId = hide.session(session.sessionId);
    const row = replayed && { sessionId, ...replaySummary(replayed, prices) };
    // A log that says nothing of prompts has nothing to compare with.
    if (row && row.sent.promptTokens > 0) rows.push(row);
  }
  rows.sort((a, b) => b.sent.promptTokens - a.sent.promptTokens);
  context.tell(context.isLive ? "\r\u001B[2K" : "");
  context.write(
    options.json
      ? `${JSON.stringify({ contextTokens, prices: prices.asOf, sessions: rows }, undefined, 2)}\n`
      : replayTable(context, rows, { contextTokens, limit }),
  );
}
