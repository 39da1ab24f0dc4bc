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
import { redactor } from "../redactor.ts";
import { findSessions, itemMeter, mainFiles, readSessions } from "../sessions.ts";
import type { Answer, SessionOptions } from "../sessions.ts";
import { adviceText, drawTable, numbers, shortId, texts, wrapProse } from "../table.ts";
import type { Column } from "../table.ts";

export interface ReplayCommandOptions extends SessionOptions {
  readonly window: number;
}

type ReplayedRow = ReturnType<typeof sumOf> & { readonly sessionId: string };

/** Compares the prompts that our fit would have sent at each call of sessions with those that were sent. */
export async function replaySessions(
  context: CliContext,
  wanted: string | undefined,
  { window: contextTokens, ...options }: ReplayCommandOptions,
): Promise<Answer> {
  const { limit, prices } = options;
  const hide = redactor(options.redact);
  const found = await findSessions(context, options, wanted);
  const meter = () => itemMeter((items) => replayOne(items, contextTokens));
  const read = await readSessions(context, found.map(mainFiles), meter);
  const replays = read
    .flatMap(({ session, results }) =>
      results.flat().map((one) => ({ sessionId: hide.session(session.sessionId), ...one })),
    )
    // A log without prompt tokens cannot be compared.
    .filter((one) => one.sent.some(({ usage }) => promptTokens(usage) > 0));
  const rows = replays
    .map((one): ReplayedRow => ({ sessionId: one.sessionId, ...sumOf([one], prices) }))
    .toSorted((a, b) => b.sent.promptTokens - a.sent.promptTokens);
  const { calls, sent, replayed, needed, ...named } = sumOf(replays, prices);
  const saved = sent.cost - replayed.cost;
  const saving = saved > 0 ? `${dollarsText(saved)} of ${dollarsText(sent.cost)}` : "nothing";
  return {
    json: { contextTokens, prices: prices.asOf, sessions: rows },
    screen: () => {
      if (rows.length === 0) return [NOTHING];
      return [
        wrapProse(context, [
          `${countText(rows.length, "session")}, ${countText(calls, "call")}, with a window of ${tokensText(contextTokens)} tokens.`,
          `Sent: ${sentText(sent)}. Replayed: ${sentText(replayed)}.`,
          `Of ${countText(needed, "file")} needed after the sessions' own compactions, the summaries name ${named.keptBySummaries} and the replayed prompts ${named.keptByReplay}.`,
        ]),
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

/** Replays a session with our fit and recall. Returns nothing if its newest exchange alone exceeds the window. */
async function replayOne(
  items: readonly TranscriptItem[],
  contextTokens: number,
): Promise<readonly ReplayedSession[]> {
  const exact = tiktokenCounter({ encoding: "o200k_base" });
  const meter = sessionMeter(exact);
  for (const item of items) meter.add(item);
  const { factor } = tokenReport([meter.result()]);
  const counter = estimatingCounter({ family: "claude-before-4.7", counter: exact, factor });
  const summarize = replaceOldTurns({ compressor: createCompressor({ counter }) });
  const steps = [{ ...summarize, before: "clear-old-results" } as const];
  const reducer = createReducer({ counter, scorer: lexicalScorer(), steps });
  try {
    return [await replaySession(items, { contextTokens, counter, reducer })];
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL") || isHistoryError(error, "INVALID_OPTION"))
      return [];
    throw error;
  }
}

const COLUMNS: readonly Column<ReplayedRow>[] = [
  texts("session", ({ sessionId }) => shortId(sessionId)),
  numbers("sent", ({ sent }) => tokensText(sent.promptTokens)),
  numbers("cost", ({ sent }) => dollarsText(sent.cost)),
  numbers("replayed", ({ replayed }) => tokensText(replayed.promptTokens)),
  numbers("cost", ({ replayed }) => dollarsText(replayed.cost)),
  numbers("needed", ({ needed }) => needed),
  numbers("in replay", ({ keptByReplay }) => keptByReplay),
  numbers("in summary", ({ keptBySummaries }) => keptBySummaries),
];

const ABOUT =
  "Replayed: the prompts that agent-history would have sent at each call, with recall and summaries. They include the system prompt and tools of the first call; counts are scaled to those in the log. Needed: files needed after the session's own compactions, and how many of them the replayed prompt and the tool's summary name. If a summary is encrypted, the requests stored with it count instead.";

const NOTHING =
  "Nothing to compare: no session has calls with prompt tokens that fit into the window.\n";

/** A replayed session, beside the original. */
interface ReplayedSession {
  readonly sent: readonly ModelCall[];
  /**
   * The same calls with the usage of the replayed prompts, system prompt and tools included: uncached tokens are written to the cache as in the original call, or are input if that wrote nothing. The output is the same.
   */
  readonly replayed: readonly ModelCall[];
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
  let [needed, keptBySummaries, keptByReplay] = [0, 0, 0];
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
    const earlier = lost.findLastIndex(({ compaction }) => compaction.line < call.line) + 1;
    const facts = lost.splice(0, earlier).flatMap((report) => report.facts);
    const names = facts.filter(({ kind }) => kind === "file names");
    const text = names.length === 0 ? "" : now.entries.map(entryText).join("\n");
    needed += names.length;
    keptBySummaries += names.filter(({ isKept }) => isKept).length;
    keptByReplay += names.filter((name) => text.includes(baseName(name.text))).length;
    before = now;
  }
  return { sent, replayed, needed, keptBySummaries, keptByReplay };
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
  const sum = (count: (one: ReplayedSession) => number): number =>
    sessions.reduce((total, one) => total + count(one), 0);
  return {
    calls: sum(({ sent }) => sent.length),
    sent: sentTokens(
      sessions.flatMap(({ sent }) => sent),
      prices,
    ),
    replayed: sentTokens(
      sessions.flatMap(({ replayed }) => replayed),
      prices,
    ),
    needed: sum(({ needed }) => needed),
    keptBySummaries: sum((one) => one.keptBySummaries),
    keptByReplay: sum((one) => one.keptByReplay),
  };
}

/** Sums up calls; the cost is in dollars, at list prices. */
function sentTokens(calls: readonly ModelCall[], prices: PriceTable) {
  const usage = addUsage(calls.map((call) => call.usage));
  const { cost } = callsCost(calls, prices);
  return { promptTokens: promptTokens(usage), cachedTokens: usage.cacheReadTokens, cost };
}

function sentText({ promptTokens: prompt, cachedTokens, cost }: ReturnType<typeof sentTokens>) {
  return `${tokensText(prompt)} prompt tokens, ${shareText(cachedTokens, prompt)} cached, ${dollarsText(cost)}`;
}
