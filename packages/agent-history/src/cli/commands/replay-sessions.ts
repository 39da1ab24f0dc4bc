import { HistoryError } from "@agent-history/core";
import { replaySummary } from "@agent-history/transcripts";
import type { ReplayedSession, ReplaySummary, SentTokens } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, dollarsText, shareText, tokensText } from "../number-text.ts";
import { replayOne } from "../replay-one.ts";
import { itemCollector, openSessions, readSessions } from "../sessions.ts";
import type { Answer, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, idCell, numbers, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";

export interface ReplayCommandOptions extends SessionOptions {
  readonly window: string;
}

/** A replayed session and its name. */
interface ReplayedRow extends ReplaySummary {
  readonly sessionId: string;
}

/** Says what our fit would have sent at each call of sessions, beside what was sent. */
export async function replaySessions(
  context: CliContext,
  wanted: string | undefined,
  options: ReplayCommandOptions,
): Promise<Answer> {
  const contextTokens = windowOption(options.window);
  const { limit, prices, hide, found } = await openSessions(context, options, wanted);
  const replays: ReplayedSession[] = [];
  const rows: ReplayedRow[] = [];
  for (const [index, session] of found.entries()) {
    if (context.isLive) context.tell(`\rreplaying ${index + 1} of ${found.length}`);
    const main = { ...session, files: session.files.slice(0, 1) };
    const [read] = await readSessions(context, [main], { meter: itemCollector, entries: true });
    const replayed = await replayOne(read?.results[0] ?? [], contextTokens);
    if (replayed === undefined) continue;
    const row = replaySummary([replayed], prices);
    // A log without prompt tokens has nothing to compare with.
    if (row.sent.promptTokens === 0) continue;
    replays.push(replayed);
    rows.push({ sessionId: hide.session(session.sessionId), ...row });
  }
  rows.sort((a, b) => b.sent.promptTokens - a.sent.promptTokens);
  if (context.isLive) context.tell("\r\u001B[2K");
  const { calls, sent, replayed, needed, ...named } = replaySummary(replays, prices);
  const sums = [
    `${countText(rows.length, "session")}, ${countText(calls, "call")}, in a window of ${tokensText(contextTokens)} tokens.`,
    `Sent: ${sentText(sent)}. Replayed: ${sentText(replayed)}.`,
  ];
  if (needed > 0) {
    sums.push(
      `Of ${countText(needed, "path")} that were needed after the sessions' own compactions, the summaries name ${named.keptBySummaries}, the replayed prompts ${named.keptByReplay}.`,
    );
  }
  const saved = sent.cost - replayed.cost;
  const saving = saved > 0 ? `${dollarsText(saved)} of ${dollarsText(sent.cost)}` : "nothing here";
  return {
    json: { contextTokens, prices: prices.asOf, sessions: rows },
    screen: () => [
      wrapProse(context, sums),
      drawTable(context, COLUMNS, rows.slice(0, limit)),
      wrapProse(context, [ABOUT]),
      adviceText(
        context,
        `This fit would have saved ${saving}. Other windows: --window 50000, --window 200000.`,
      ),
    ],
  };
}

function windowOption(window: string): number {
  const contextTokens = Number(window);
  if (Number.isInteger(contextTokens) && contextTokens > 0) return contextTokens;
  throw new HistoryError(
    `Expected --window to be a number of tokens, such as 100000, got ${window}.`,
    { code: "INVALID_OPTION", details: { option: "window" } },
  );
}

const COLUMNS: readonly Column<ReplayedRow>[] = [
  texts("session", ({ sessionId }) => idCell(sessionId)),
  numbers("calls", ({ calls }) => calls, 3),
  numbers("sent", ({ sent }) => tokensText(sent.promptTokens)),
  numbers("cached", ({ sent }) => cachedText(sent), 1),
  numbers("cost", ({ sent }) => dollarsText(sent.cost)),
  numbers("replayed", ({ replayed }) => tokensText(replayed.promptTokens)),
  numbers("cached", ({ replayed }) => cachedText(replayed), 1),
  numbers("cost", ({ sent, replayed }) => ({
    text: dollarsText(replayed.cost),
    paint: replayed.cost < sent.cost ? "green" : "red",
  })),
  numbers("dropped", (row) => row.droppedEntries, 2),
  numbers("needed", (row) => ofNeeded(row, row.needed)),
  numbers("in replay", (row) => ofNeeded(row, row.keptByReplay)),
  numbers("in summary", (row) => ofNeeded(row, row.keptBySummaries)),
];

const ABOUT =
  "Replayed: what our fit with recall and summaries would have sent at each call, the system prompt and tools of the first call included; counts are scaled to what the log reports. Needed: paths that were needed after the session's own compactions, how many of them the replayed prompt names, and how many the tool's summary (where that is encrypted, the requests beside it).";

function sentText(sent: SentTokens): string {
  return `${tokensText(sent.promptTokens)} prompt tokens, ${cachedText(sent)} cached, ${dollarsText(sent.cost)}`;
}

function cachedText({ cachedTokens, promptTokens }: SentTokens): string {
  return shareText(cachedTokens, promptTokens);
}

function ofNeeded({ needed }: ReplayedRow, paths: number): string {
  return needed === 0 ? "" : `${paths}`;
}
