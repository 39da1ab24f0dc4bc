import { baseName, LOST_DEFINITIONS, lostMeter, lostRows } from "@agent-history/transcripts";
import type { LostReport, LostRow } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, shareText, tokensText } from "../number-text.ts";
import { redactor } from "../redactor.ts";
import { findSessions, readSessions } from "../sessions.ts";
import type { Answer, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, numbers, shortId, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";

type SessionLoss = LostReport & { readonly sessionId: string };

/** Reports what agents needed after compactions, and how much of it the summaries kept. */
export async function explainLost(
  context: CliContext,
  wanted: string | undefined,
  options: SessionOptions,
): Promise<Answer> {
  const { limit } = options;
  const hide = redactor(options.redact);
  const found = await findSessions(context, options, wanted);
  const read = await readSessions(context, found, lostMeter);
  const reports = read.flatMap(({ session, results }) =>
    results.flat().map((report): SessionLoss => {
      const facts = report.facts.map((fact) => {
        const isFile = fact.kind.startsWith("file");
        return { ...fact, text: isFile ? hide.path(fact.text) : hide.text(fact.text) };
      });
      const sessionId = hide.session(session.sessionId);
      return { sessionId, ...report, facts, readAgain: report.readAgain.map(hide.path) };
    }),
  );
  const rows = lostRows(reports);
  const readBefore = reports.reduce((sum, one) => sum + one.readBefore, 0);
  const readAgain = reports.reduce((sum, one) => sum + one.readAgain.length, 0);
  const most = reports.toSorted((a, b) => lostFiles(b).length - lostFiles(a).length);
  const compactions = reports.length;
  return {
    json: { definitions: LOST_DEFINITIONS, compactions, rows, readBefore, readAgain, reports },
    screen: () => {
      if (compactions === 0)
        return [
          `Nothing to compare: no compaction in ${countText(read.length, "session")} was followed by tool calls.\n`,
        ];
      const definitions = Object.entries(LOST_DEFINITIONS);
      return [
        wrapProse(context, [
          `${countText(compactions, "compaction was", "compactions were")} followed by tool calls. Of ${countText(readBefore, "file")} read before a compaction, ${countText(readAgain, "was", "were")} read again after it.`,
        ]),
        drawTable(context, TOTALS, rows),
        drawTable(context, COMPACTIONS, most.slice(0, limit)),
        wrapProse(
          context,
          definitions.map(([name, text]) => `${name}: ${text}`),
        ),
        adviceText(context, adviceOf(reports.flatMap(lostFiles).length, readAgain)),
      ];
    },
  };
}

const TOTALS: readonly Column<LostRow>[] = [
  texts("needed later", ({ name }) => name),
  numbers("needed", ({ needed }) => needed),
  numbers("in summary", ({ kept }) => kept),
  numbers("kept", ({ kept, needed }) => shareText(kept, needed)),
];

const COMPACTIONS: readonly Column<SessionLoss>[] = [
  texts("session", ({ sessionId }) => shortId(sessionId)),
  numbers("line", ({ compaction }) => compaction.line),
  numbers("summary", ({ compaction, summaryCharacters: length }) =>
    compaction.isEncrypted ? "encrypted" : `${tokensText(length)} characters`,
  ),
  numbers("read again", ({ readAgain }) => readAgain.length),
  texts("lost files", (report) => lostFiles(report).map(baseName).join(", "), "end"),
];

function lostFiles({ facts }: LostReport): readonly string[] {
  const gone = facts.filter(({ kind, isKept }) => kind === "file names" && !isKept);
  return gone.map(({ text }) => text);
}

function adviceOf(lost: number, readAgain: number): string {
  if (lost === 0) return "The summaries named every file that was needed later.";
  const again =
    readAgain === 0 ? "" : ` (${countText(readAgain, "file was", "files were")} read again)`;
  return `Summaries left out ${countText(lost, "file")} that the agent needed later${again}. Ask for file names in your compaction instructions, or compare with agent-history replay.`;
}
