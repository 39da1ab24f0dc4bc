import { baseName, LOST_DEFINITIONS, lostMeter, lostRows } from "@agent-history/transcripts";
import type { LostReport, LostRow } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, instantText, shareText, tokensText } from "../number-text.ts";
import type { Redactor } from "../redactor.ts";
import { openSessions, readSessions } from "../sessions.ts";
import type { Answer, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, idCell, numbers, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";

type SessionLoss = LostReport & { readonly sessionId: string };

/** Reports what agents needed after compactions, and how much of it the summaries kept. */
export async function explainLost(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<Answer> {
  const { limit, hide, found } = await openSessions(context, options, wanted);
  const read = await readSessions(context, found, { meter: lostMeter, entries: true });
  const reports = read.flatMap(({ session, results }) =>
    results.flat().map((report): SessionLoss => {
      const sessionId = hide.session(session.sessionId);
      return { sessionId, ...hidden(report, hide) };
    }),
  );
  const rows = lostRows(reports);
  const readBefore = reports.reduce((sum, one) => sum + one.readBefore, 0);
  const readAgain = reports.reduce((sum, one) => sum + one.readAgain.length, 0);
  const most = reports.toSorted((a, b) => goneOf(b).length - goneOf(a).length);
  return {
    json: {
      definitions: LOST_DEFINITIONS,
      compactions: reports.length,
      rows,
      readBefore,
      readAgain,
      reports,
    },
    screen: () => {
      if (reports.length === 0)
        return [
          `Nothing to compare: no compaction in ${countText(read.length, "session")} was followed by tool calls.\n`,
        ];
      const sum = `${countText(reports.length, "compaction was", "compactions were")} followed by tool calls. Of ${countText(readBefore, "file")} read before a compaction, ${countText(readAgain, "was", "were")} read again after it.`;
      const definitions = Object.entries(LOST_DEFINITIONS);
      return [
        wrapProse(context, [sum]),
        drawTable(context, TOTALS, rows),
        drawTable(context, COMPACTIONS, most.slice(0, limit)),
        wrapProse(
          context,
          definitions.map(([name, text]) => `${name}: ${text}`),
        ),
        adviceText(context, adviceOf(rows, readAgain)),
      ];
    },
  };
}

function hidden(report: LostReport, hide: Redactor): LostReport {
  const facts = report.facts.map(({ kind, text, ...fact }) => ({
    kind,
    text: kind.startsWith("file") ? hide.path(text) : hide.text(text),
    ...fact,
  }));
  return { ...report, facts, readAgain: report.readAgain.map(hide.path) };
}

const TOTALS: readonly Column<LostRow>[] = [
  texts("needed later", ({ name }) => name),
  numbers("needed", ({ needed }) => needed),
  numbers("in summary", ({ kept }) => kept),
  numbers("kept", ({ kept, needed }) => shareText(kept, needed)),
];

const COMPACTIONS: readonly Column<SessionLoss>[] = [
  texts("session", ({ sessionId }) => idCell(sessionId)),
  numbers("line", ({ compaction }) => compaction.line),
  texts("time (UTC)", ({ compaction }) => instantText(compaction.atMs), { leaveOut: 3 }),
  numbers("tokens before", ({ compaction }) => tokensText(compaction.preTokens), 2),
  numbers(
    "summary",
    ({ compaction, summaryCharacters: length }) =>
      compaction.isEncrypted ? "encrypted" : `${tokensText(length)} characters`,
    1,
  ),
  numbers("files kept", (report) => {
    const names = lostRows([report]).find(({ name }) => name === "file names");
    return `${names?.kept} of ${names?.needed}`;
  }),
  numbers("read again", ({ readAgain }) => readAgain.length),
  texts("lost files", (report) => goneOf(report).map(baseName).join(", "), { shrinks: "text" }),
];

function goneOf({ facts }: LostReport): readonly string[] {
  const gone = facts.filter(({ kind, isKept }) => kind === "file names" && !isKept);
  return gone.map(({ text }) => text);
}

function adviceOf(rows: readonly LostRow[], readAgain: number): string {
  const paths = rows.find(({ name }) => name === "file names");
  const lost = (paths?.needed ?? 0) - (paths?.kept ?? 0);
  if (lost === 0) return "The summaries named every file that was needed later.";
  const again =
    readAgain === 0 ? "" : ` (${countText(readAgain, "file was", "files were")} read again)`;
  return `Summaries left out ${countText(lost, "file")} that the agent needed later${again}. Ask for file names in your compaction instructions, or compare with agent-history replay.`;
}
