import { createCompressor } from "@agent-history/compression";
import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, Reducer, Reduction, TokenCounter } from "@agent-history/core";
import { createReducer, prefixStability, replaceOldTurns } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import {
  addUsage,
  baseName,
  breakCauses,
  callsCost,
  collectTranscript,
  entryText,
  lostMeter,
  promptTokens,
  sessionMeter,
  tokenReport,
} from "@agent-history/transcripts";
import type { CallUsage, ModelCall, PriceTable, TranscriptItem } from "@agent-history/transcripts";

import type { CliContext } from "../cli-context.ts";
import { countText, dollarsText, shareText, tokensText } from "../number-text.ts";
import { itemCollector, openSessions, readSessions } from "../sessions.ts";
import type { Answer, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, idCell, numbers, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";

export interface ReplayCommandOptions extends SessionOptions {
  readonly window: number;
}

type ReplayedRow = ReturnType<typeof sumOf> & { readonly sessionId: string };

/** Compares the prompts that our fit would have sent at each call of sessions with those that were sent. */
export async function replaySessions(
  context: CliContext,
  wanted: string | undefined,
  options: ReplayCommandOptions,
): Promise<Answer> {
  const contextTokens = options.window;
  const { limit, prices, hide, found } = await openSessions(context, options, wanted);
  const replays: ReplayedSession[] = [];
  const rows: ReplayedRow[] = [];
  for (const [index, session] of found.entries()) {
    if (context.isLive) context.tell(`\rreplaying ${index + 1} of ${found.length}`);
    const main = { ...session, files: session.files.slice(0, 1) };
    const how = { meter: itemCollector, entries: true, isOnly: found.length === 1 };
    const [read] = await readSessions(context, [main], how);
    const replayed = await replayOne(read?.results[0] ?? [], contextTokens);
    if (replayed === undefined) continue;
    const row = sumOf([replayed], prices);
    // A log without prompt tokens cannot be compared.
    if (row.sent.promptTokens === 0) continue;
    replays.push(replayed);
    rows.push({ sessionId: hide.session(session.sessionId), ...row });
  }
  rows.sort((a, b) => b.sent.promptTokens - a.sent.promptTokens);
  if (context.isLive) context.tell("\r\u001B[2K");
  const { calls, sent, replayed, needed, ...named } = sumOf(replays, prices);
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
    return await replaySession(items, { contextTokens, counter, reducer });
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

function cachedText(sent: SentTokens): string {
  return shareText(sent.cachedTokens, sent.promptTokens);
}

function ofNeeded({ needed }: ReplayedRow, paths: number): string {
  return needed === 0 ? "" : `${paths}`;
}

/** A replayed session, beside the original. */
interface ReplayedSession {
  readonly sent: readonly ModelCall[];
  /**
   * The same calls with the usage of the replayed prompts, system prompt and tools included: uncached tokens are written to the cache as in the original call, or are input if that wrote nothing. The output is the same.
   */
  readonly replayed: readonly ModelCall[];
  /** The maximum number of history entries that a prompt contains neither whole nor shortened. */
  readonly droppedEntries: number;
  /** Number of files that were needed after compactions and known before, and how many of them the summaries and the replayed prompts name. */
  readonly needed: number;
  readonly keptBySummaries: number;
  readonly keptByReplay: number;
}

interface ReplayOptions {
  /** The context window in tokens, including system prompt and tools. */
  readonly contextTokens: number;
  readonly counter: Pick<TokenCounter, "countEntry">;
  readonly reducer: Pick<Reducer, "reduce">;
}

/**
 * Replays the calls of a session's final branch with our fit. The tool's own summaries are left out: the fit sees all entries that they replaced. If the
 * log shows that the cache had expired, the replayed prompt is not read from the cache either.
 */
export async function replaySession(
  items: readonly TranscriptItem[],
  { contextTokens, counter, reducer }: ReplayOptions,
): Promise<ReplayedSession> {
  const [meter, losses] = [sessionMeter(counter), lostMeter()];
  for (const item of items) {
    meter.add(item);
    losses.add(item);
  }
  const causes = breakCauses(meter.result());
  const lost = [...losses.result()];
  const { main, mainCalls } = collectTranscript(items);
  const [mainItems, ownCalls] = [new Set<TranscriptItem>(main), new Set(mainCalls)];
  const log: HistoryEntry[] = [];
  const [sent, replayed]: [ModelCall[], ModelCall[]] = [[], []];
  let overheadTokens = 0;
  let before: Reduction | undefined;
  let [droppedEntries, needed, keptBySummaries, keptByReplay] = [0, 0, 0, 0];
  for (const item of items) {
    if (item.kind === "entry" && mainItems.has(item) && item.entry.type !== "summary")
      log.push(item.entry);
    if (item.kind !== "call" || !ownCalls.has(item.call) || log.length === 0) continue;
    const { call } = item;
    if (before === undefined) {
      const counted = log.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
      overheadTokens = Math.max(0, promptTokens(call.usage) - counted);
    }
    const now = await reducer.reduce([...log], {
      window: { contextTokens: contextTokens - overheadTokens },
      ...(before && { previousPlan: before.plan }),
    });
    const kept = causes.get(call.id)?.cause === "idle" ? undefined : before?.entries;
    const prefix = kept && prefixStability(kept, now.entries, counter).tokens + overheadTokens;
    const usage = replayedUsage(call.usage, now.plan.totalTokens + overheadTokens, prefix ?? 0);
    sent.push(call);
    replayed.push({ ...call, usage });
    droppedEntries = Math.max(droppedEntries, log.length - now.entries.length);
    const earlier = lost.findLastIndex(({ compaction }) => compaction.line < call.line) + 1;
    const facts = lost.splice(0, earlier).flatMap((report) => report.facts);
    const names = facts.filter(({ kind }) => kind === "file names");
    const text = names.length === 0 ? "" : now.entries.map(entryText).join("\n");
    needed += names.length;
    keptBySummaries += names.filter(({ isKept }) => isKept).length;
    keptByReplay += names.filter((name) => text.includes(baseName(name.text))).length;
    before = now;
  }
  return { sent, replayed, droppedEntries, needed, keptBySummaries, keptByReplay };
}

function replayedUsage(sent: CallUsage, prompt: number, cached: number): CallUsage {
  const cacheReadTokens = Math.min(prompt, cached);
  const fresh = prompt - cacheReadTokens;
  const isWritten = sent.cacheWriteTokens > 0;
  return {
    inputTokens: isWritten ? 0 : fresh,
    cacheReadTokens,
    cacheWriteTokens: isWritten ? fresh : 0,
    cacheWrite1hTokens: isWritten && sent.cacheWrite1hTokens > 0 ? fresh : 0,
    outputTokens: sent.outputTokens,
  };
}

/** Sums up replayed sessions, beside what was actually sent. */
function sumOf(sessions: readonly ReplayedSession[], prices: PriceTable) {
  const sent = sessions.flatMap((session) => session.sent);
  return {
    calls: sent.length,
    sent: sentTokens(sent, prices),
    replayed: sentTokens(
      sessions.flatMap((session) => session.replayed),
      prices,
    ),
    droppedEntries: sessions.reduce((most, one) => Math.max(most, one.droppedEntries), 0),
    needed: sessions.reduce((sum, { needed }) => sum + needed, 0),
    keptBySummaries: sessions.reduce((sum, one) => sum + one.keptBySummaries, 0),
    keptByReplay: sessions.reduce((sum, one) => sum + one.keptByReplay, 0),
  };
}

type SentTokens = ReturnType<typeof sentTokens>;

/** Sums up calls; the cost is in dollars, at list prices. */
function sentTokens(calls: readonly ModelCall[], prices: PriceTable) {
  const usage = addUsage(calls.map((call) => call.usage));
  const { cost } = callsCost(calls, prices);
  return { promptTokens: promptTokens(usage), cachedTokens: usage.cacheReadTokens, cost };
}
