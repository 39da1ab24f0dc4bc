import { createCompressor } from "@agent-history/compression";
import { isHistoryError } from "@agent-history/core";
import { createReducer, prefixStability, replaceOldTurns } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import {
  replaySession,
  replaySummary,
  sessionMeter,
  tokenReport,
} from "@agent-history/transcripts";
import type {
  ReplayedSession,
  ReplaySummary,
  SentTokens,
  TranscriptItem,
} from "@agent-history/transcripts";

import { invalidOption } from "../cli-context.ts";
import type { CliContext } from "../cli-context.ts";
import { countText, dollarsText, shareText, tokensText } from "../number-text.ts";
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

/** Compares the prompts that our fit would have sent at each call of sessions with those that were sent. */
export async function replaySessions(
  context: CliContext,
  wanted: string | undefined,
  options: ReplayCommandOptions,
): Promise<Answer> {
  const contextTokens = Number(options.window);
  if (!Number.isInteger(contextTokens) || contextTokens <= 0) {
    const expected = "Expected --window to be a positive number of tokens, such as 100000";
    throw invalidOption("window", `${expected}; got ${options.window}.`);
  }
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
    // A log without prompt tokens cannot be compared.
    if (row.sent.promptTokens === 0) continue;
    replays.push(replayed);
    rows.push({ sessionId: hide.session(session.sessionId), ...row });
  }
  rows.sort((a, b) => b.sent.promptTokens - a.sent.promptTokens);
  if (context.isLive) context.tell("\r\u001B[2K");
  const { calls, sent, replayed, needed, ...named } = replaySummary(replays, prices);
  const sums = [
    `${countText(rows.length, "session")}, ${countText(calls, "call")}, with a window of ${tokensText(contextTokens)} tokens.`,
    `Sent: ${sentText(sent)}. Replayed: ${sentText(replayed)}.`,
  ];
  if (needed > 0) {
    sums.push(
      `Of ${countText(needed, "file")} needed after the sessions' own compactions, the summaries name ${named.keptBySummaries} and the replayed prompts ${named.keptByReplay}.`,
    );
  }
  const saved = sent.cost - replayed.cost;
  const saving = saved > 0 ? `${dollarsText(saved)} of ${dollarsText(sent.cost)}` : "nothing";
  return {
    json: { contextTokens, prices: prices.asOf, sessions: rows },
    screen: () => {
      if (rows.length === 0) return [`${NOTHING}\n`];
      return [
        wrapProse(context, sums),
        drawTable(context, COLUMNS, rows.slice(0, limit)),
        wrapProse(context, [ABOUT]),
        adviceText(
          context,
          `Fitting with agent-history would have saved ${saving}. To try another window, pass --window 50000 or --window 200000.`,
        ),
      ];
    },
  };
}

/** Replays a session with our fit and recall. Returns `undefined` if its newest exchange alone exceeds the window. */
async function replayOne(
  items: readonly TranscriptItem[],
  contextTokens: number,
): Promise<ReplayedSession | undefined> {
  const exact = tiktokenCounter({ encoding: "o200k_base" });
  const meter = sessionMeter(exact);
  for (const item of items) meter.add(item);
  const { factor } = tokenReport([meter.result()]);
  const counter = estimatingCounter({ family: "claude-before-4.7", counter: exact, factor });
  const scorer = lexicalScorer();
  const summarize = replaceOldTurns({ compressor: createCompressor({ counter }) });
  const steps = [{ ...summarize, before: "clear-old-results" } as const];
  const reducer = createReducer({ counter, scorer, steps });
  try {
    return await replaySession(items, {
      contextTokens,
      counter,
      fit: (entries, request) => reducer.reduce(entries, request),
      prefixTokens: (before, now) => prefixStability(before, now, counter).tokens,
    });
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL") || isHistoryError(error, "INVALID_OPTION"))
      return undefined;
    throw error;
  }
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
  "Replayed: the prompts that agent-history would have sent at each call, with recall and summaries. They include the system prompt and tools of the first call; counts are scaled to those in the log. Needed: files needed after the session's own compactions, and how many of them the replayed prompt and the tool's summary name. If a summary is encrypted, the requests stored with it count instead.";

const NOTHING =
  "Nothing to compare: no session has calls with prompt tokens that fit into the window.";

function sentText(sent: SentTokens): string {
  return `${tokensText(sent.promptTokens)} prompt tokens, ${cachedText(sent)} cached, ${dollarsText(sent.cost)}`;
}

function cachedText({ cachedTokens, promptTokens }: SentTokens): string {
  return shareText(cachedTokens, promptTokens);
}

function ofNeeded({ needed }: ReplayedRow, paths: number): string {
  return needed === 0 ? "" : `${paths}`;
}
