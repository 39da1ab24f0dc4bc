import type { TokenReport } from "@agent-history/transcripts";

import type { CliContext } from "./cli-context.ts";
import { drawTable } from "./draw-table.ts";
import type { Column } from "./draw-table.ts";
import { shareText, tokensText } from "./number-text.ts";

/** Draws the entries that were most expensive to send. */
export function heaviestTable(
  context: CliContext,
  { heaviest, promptTokens }: TokenReport,
): string {
  const columns: readonly Column[] = [
    { head: "heaviest entries", shrinks: "text" },
    { head: "file", shrinks: "path", leaveOut: 2 },
    { head: "session", leaveOut: 3 },
    { head: "line", isNumber: true, leaveOut: 1 },
    { head: "tokens", isNumber: true },
    { head: "calls", isNumber: true },
    { head: "of all prompts", isNumber: true },
  ];
  const rows = heaviest.map(({ role, toolName, label, files, line, tokens, sent, ...entry }) => [
    `${toolName ?? role}: ${label}`,
    files[0] ?? "",
    "sessionId" in entry ? String(entry.sessionId).slice(0, 10) : "",
    `${line}`,
    tokensText(tokens),
    `${sent}`,
    shareText(tokens * sent, promptTokens),
  ]);
  return rows.length === 0 ? "" : `\n${drawTable(context, columns, rows)}`;
}

/** Draws results that came several times. */
export function repeatedTable(
  context: CliContext,
  { repeated, promptTokens }: TokenReport,
  limit: number,
): string {
  const columns: readonly Column[] = [
    { head: "the same result again", shrinks: "text" },
    { head: "file", shrinks: "path", leaveOut: 1 },
    { head: "times", isNumber: true },
    { head: "sent again", isNumber: true },
    { head: "of all prompts", isNumber: true },
  ];
  const rows = repeated
    .slice(0, limit)
    .map(({ toolName, files, times, sentTokens }) => [
      toolName,
      files[0] ?? "",
      `${times}`,
      tokensText(sentTokens),
      shareText(sentTokens, promptTokens),
    ]);
  return rows.length === 0 ? "" : `\n${drawTable(context, columns, rows)}`;
}
