import { tiktokenCounter } from "@agent-history/tokens";
import { sessionMeter, tokenReport } from "@agent-history/transcripts";
import type {
  NamedEntry,
  RepeatedResult,
  TokenGroup,
  TokenReport,
} from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, shareText, tokensText } from "../number-text.ts";
import { redactor } from "../redactor.ts";
import type { Redactor } from "../redactor.ts";
import { findSessions, readSessions } from "../sessions.ts";
import type { Answer, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, numbers, shortId, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";
import { totalsText } from "./list-sessions.ts";

/** Reports where the tokens of sessions went. */
export async function explainTokens(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<Answer> {
  const { limit, prices } = options;
  const hide = redactor(options.redact);
  const found = await findSessions(context, options, wanted);
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  const read = await readSessions(context, found, () => sessionMeter(counter));
  const names = new Map(
    read.flatMap(({ session, results }) => {
      const name = shortId(hide.session(session.sessionId));
      return results.map((measured) => [measured, name]);
    }),
  );
  const measured = [...names.keys()];
  const nameOf = (session: (typeof measured)[number]) => names.get(session);
  const report = hidden(tokenReport(measured, { heaviest: limit, nameOf }), hide);
  return {
    json: { sessions: read.length, ...report },
    screen: () => [
      totalsText(context, read, { prices }) + wrapProse(context, [unseenText(report)]),
      ...tokenTables(context, report, limit),
      adviceText(context, adviceOf(report)),
    ],
  };
}

function hidden(report: TokenReport, hide: Redactor): TokenReport {
  return {
    ...report,
    byFile: report.byFile.map((group) => ({ ...group, name: hide.path(group.name) })),
    heaviest: report.heaviest.map((one) => ({
      ...one,
      id: hide.id(one.id),
      callId: one.callId && hide.id(one.callId),
      files: one.files.map(hide.path),
      label: hide.text(one.label),
    })),
    repeated: report.repeated.map((one) => ({ ...one, files: one.files.map(hide.path) })),
  };
}

/** Reports the share of prompt tokens that the log does not contain. */
function unseenText({ promptTokens, sentTokens }: TokenReport): string {
  if (promptTokens === 0)
    return "The logs report no prompt tokens, so only the entries themselves are counted.";
  const rest = shareText(Math.max(0, promptTokens - sentTokens), promptTokens);
  return `${rest} of all prompt tokens are the system prompt, tools and other content that is not in the log.`;
}

/** Draws the token tables, with at most `limit` rows each. In `sent` columns, an entry counts once for each call that sent it. */
function tokenTables(
  context: CliContext,
  { promptTokens, byRole, byTool, byFile, byTurn, heaviest, repeated }: TokenReport,
  limit: number,
): readonly (string | undefined)[] {
  const part = <Item>(columns: readonly Column<Item>[], items: readonly Item[]) =>
    items.length === 0 ? undefined : drawTable(context, columns, items.slice(0, limit));
  const share = (tokens: number): string => shareText(tokens, promptTokens);
  const groups = (head: string, clip?: "start"): readonly Column<TokenGroup>[] => [
    texts(head, ({ name }) => name, clip ?? "end"),
    numbers("entries", ({ entries }) => entries),
    numbers("tokens", ({ tokens }) => tokensText(tokens)),
    numbers("sent", ({ sentTokens }) => tokensText(sentTokens)),
    numbers("of all prompts", ({ sentTokens }) => share(sentTokens)),
  ];
  const heavy: readonly Column<NamedEntry>[] = [
    texts(
      "heaviest entries",
      ({ toolName, role, label }) => `${toolName ?? role}: ${label}`,
      "end",
    ),
    texts("session", ({ session = "" }) => session),
    numbers("line", ({ line }) => line),
    numbers("tokens", ({ tokens }) => tokensText(tokens)),
    numbers("calls", ({ sent }) => sent),
    numbers("of all prompts", ({ tokens, sent }) => share(tokens * sent)),
  ];
  const again: readonly Column<RepeatedResult>[] = [
    texts(
      "repeated results",
      ({ toolName, files }) => [toolName, ...files.slice(0, 1)].join(": "),
      "end",
    ),
    numbers("times", ({ times }) => times),
    numbers("sent again", ({ sentTokens }) => tokensText(sentTokens)),
    numbers("of all prompts", ({ sentTokens }) => share(sentTokens)),
  ];
  return [
    part(groups("by role"), byRole),
    part(groups("results by tool"), byTool),
    part(groups("results by file", "start"), byFile),
    part(groups("by turn"), byTurn),
    part(heavy, heaviest),
    part(again, repeated),
  ];
}

/** Suggests the most useful saving: repeated results, else the heaviest entry. */
function adviceOf({ repeated, heaviest, promptTokens }: TokenReport): string | undefined {
  const again = repeated.reduce((sum, { sentTokens }) => sum + sentTokens, 0);
  const [[most], [first]] = [repeated, heaviest];
  if (most !== undefined && again > promptTokens / 100) {
    const what = [most.toolName, ...most.files.slice(0, 1)].join(" of ");
    return `Repeated results make up ${shareText(again, promptTokens)} of all prompts. The most expensive one, ${what}, was returned ${countText(most.times, "time")}. Clear old results, or read only what changed.`;
  }
  if (first === undefined || promptTokens === 0) return undefined;
  const share = shareText(first.tokens * first.sent, promptTokens);
  return `The heaviest entry (line ${first.line}, ${tokensText(first.tokens)} tokens in ${countText(first.sent, "call")}) makes up ${share} of all prompts. Read only a part of it, or search it.`;
}
