import type { TokenGroup, TokenReport } from "@agent-history/transcripts";

import type { CliContext } from "./cli-context.ts";
import { drawTable } from "./draw-table.ts";
import type { Column } from "./draw-table.ts";
import { heaviestTable, repeatedTable } from "./entry-tables.ts";
import { shareText, tokensText } from "./number-text.ts";

/** Draws where tokens went, `limit` rows of each table. Sent: an entry counts in each call that sent it. */
export function tokenTables(context: CliContext, report: TokenReport, limit: number): string {
  const part = (head: string, groups: readonly TokenGroup[], shrinks: "path" | "text"): string =>
    groups.length === 0
      ? ""
      : `\n${drawTable(
          context,
          groupColumns(head, shrinks),
          groups.slice(0, limit).map((group) => groupCells(group, report)),
        )}`;
  return [
    part("by role", report.byRole, "text"),
    part("results by tool", report.byTool, "text"),
    part("results by file", report.byFile, "path"),
    part("by turn", report.byTurn, "text"),
    heaviestTable(context, report),
    repeatedTable(context, report, limit),
  ].join("");
}

function groupColumns(head: string, shrinks: "path" | "text"): readonly Column[] {
  return [
    { head, shrinks },
    { head: "entries", isNumber: true, leaveOut: 1 },
    { head: "tokens", isNumber: true },
    { head: "sent", isNumber: true },
    { head: "of all prompts", isNumber: true },
  ];
}

function groupCells(
  { name, entries, tokens, sentTokens }: TokenGroup,
  report: TokenReport,
): string[] {
  const share = shareText(sentTokens, report.promptTokens);
  return [name, `${entries}`, tokensText(tokens), tokensText(sentTokens), share];
}

/** Says how much of the prompts stands in no log. */
export function unseenText(promptTokens: number, sentTokens: number): string {
  if (promptTokens === 0) return "The logs say nothing of prompts: entries are counted once.";
  const rest = shareText(Math.max(0, promptTokens - sentTokens), promptTokens);
  return `${rest} of all prompt tokens are system prompt, tools and what the log does not hold.`;
}
