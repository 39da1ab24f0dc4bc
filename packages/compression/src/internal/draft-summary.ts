import type {
  Compaction,
  EntryRun,
  HistoryEntry,
  HistoryView,
  SummaryEntry,
  SummaryPart,
  Trust,
} from "@agent-history/core";
import { HistoryError, summary, throwIfAborted } from "@agent-history/core";

import type { Settings } from "../compress-options.ts";
import { mergeParts } from "../record/merge-parts.ts";
import { readRecord } from "../record/read-record.ts";
import { writeParts } from "../record/write-record.ts";
import type { WrittenSummary } from "../record/write-record.ts";
import { isGiant, orAborted } from "./ask-model.ts";
import { isCounterFailure } from "./checked.ts";
import { frameSummary, neutralize } from "./data-text.ts";
import { factParts, lexicalFacts, writeFacts } from "./facts.ts";
import { modelFacts, modelParts } from "./model-writer.ts";
import type { AllowedSpan } from "./plan-compression.ts";

/** A summary before its size is known: its parts, and its text for a given cap. */
export interface SummaryDraft {
  readonly parts: readonly SummaryPart[];
  readonly write: (maxTokens: number) => WrittenSummary;
}

/** Input of the writer of one summary. */
export interface DraftRequest {
  readonly span: AllowedSpan;
  /** The cap on the text. */
  readonly maxTokens: number;
  readonly onPiece: (done: number, total: number) => void;
}

/** Drafts one summary: by the strategy if it wrote it, by the model, else from its parts. */
export async function draftSummary(
  request: DraftRequest,
  settings: Settings,
): Promise<SummaryDraft> {
  const { span, onPiece } = request;
  const { model, fallback = false, signal } = settings.options;
  if (span.text !== undefined) return written(span.text, request, settings);
  if (model !== undefined) {
    try {
      return await orAborted(byModel(request, settings), signal);
    } catch (error) {
      throwIfAborted(signal);
      if (isCounterFailure(error) || !fallback) throw error;
      settings.onRescued(error);
    }
  }
  const facts =
    span.concepts &&
    factParts(lexicalFacts(span.read, span.concepts), span.previous, span.concepts);
  onPiece(1, 1);
  return ofParts(facts ?? recordOf(span), span, settings);
}

async function byModel(request: DraftRequest, settings: Settings): Promise<SummaryDraft> {
  const { span } = request;
  if (span.concepts !== undefined) {
    return ofParts(
      factParts(await modelFacts(request, settings), span.previous, span.concepts),
      span,
      settings,
    );
  }
  const record = recordOf(span);
  const told = await modelParts(request, record, settings);
  return ofParts(mergeParts(record, told), span, settings);
}

/** The record of a span: that of the summaries that it covers, merged with the new entries. */
function recordOf({ read, previous, isContinued }: AllowedSpan): readonly SummaryPart[] {
  return mergeParts(previous, readRecord(read, { previous, isContinued }));
}

function ofParts(
  parts: readonly SummaryPart[],
  { concepts }: AllowedSpan,
  { counter }: Settings,
): SummaryDraft {
  const write = (maxTokens: number): WrittenSummary =>
    concepts === undefined
      ? writeParts(parts, { maxTokens, counter })
      : writeFacts(parts, concepts, { maxTokens, counter });
  return { parts, write };
}

/** Uses a strategy's own text unchanged. Without text, a line says how much was dropped, so that the model knows that something was there. */
function written(
  text: string,
  { span: { covered, previous }, maxTokens }: DraftRequest,
  { counter }: Settings,
): SummaryDraft {
  const isText = typeof text === "string" && !isGiant(text, maxTokens);
  const safe = isText && text.trim() !== "" ? neutralize(text) : "";
  if (!isText || counter.countText(safe) > maxTokens) {
    throw new HistoryError(
      `Expected the strategy to write a text of at most ${maxTokens} tokens; got ${typeof text === "string" ? "more" : typeof text}.`,
      { code: "MODEL_FAILED" },
    );
  }
  if (safe === "") {
    const nothing =
      covered.length === 1
        ? "One earlier entry was dropped."
        : `${covered.length} earlier entries were dropped.`;
    // Keep the parts of earlier summaries that are dropped with it.
    return { parts: previous, write: () => ({ text: nothing, dropped: [] }) };
  }
  const kept = previous.filter(({ kind }) => kind === "rule" || kind === "first");
  const at = kept.reduce((most, part) => Math.max(most, part.at), 0);
  const own = { kind: "earlier", key: "earlier", text: safe, at };
  return { parts: [...kept, own], write: () => ({ text: safe, dropped: [] }) };
}

// ---- the entry ----

/** A compaction, the parts in its text and those that did not fit. */
export interface FinishedSummary {
  readonly compaction: Compaction;
  readonly shown: readonly SummaryPart[];
  readonly dropped: readonly SummaryPart[];
}

/** Writes the text of a draft and makes the compaction; `undefined` if there is nothing to say. */
export function finishSummary(
  { parts, write }: SummaryDraft,
  span: AllowedSpan,
  /** The cap on the entry, and the rest of it for the text. */
  { maxTokens, maxTextTokens }: { readonly maxTokens: number; readonly maxTextTokens: number },
  /** Index of each entry of the view. */
  plan: { readonly indexes: ReadonlyMap<HistoryEntry, number>; readonly strategy: string },
  { view, options, tokensOf }: Settings,
): FinishedSummary | undefined {
  const { strategy } = plan;
  let room = maxTextTokens;
  // Frame and text may count more together than apart; then write less.
  for (let attempt = 0; attempt < 4 && room > 0; attempt++) {
    const { text, dropped } = write(room);
    if (text === "") return undefined;
    const content = frameSummary(text);
    const excess = tokensOf(provisionalSummary(content, strategy, view)) - maxTokens;
    if (excess <= 0) {
      const trust = options.trust ?? leastTrust(span.covered);
      const covers = runsOf(span.covered, plan.indexes);
      const { newId, now } = options;
      const sources = { ...(newId && { newId }), ...(now && { now }) };
      const entry = summary({ content, strategy, trust, view, covers, parts }, sources);
      const standing = { ...entry, view };
      const sizes = { tokensBefore: span.tokens, tokensAfter: tokensOf(standing) };
      const gone = new Set(dropped);
      const shown = parts.filter((part) => !gone.has(part));
      return { compaction: { summary: standing, ...sizes }, shown, dropped };
    }
    room -= excess + SLACK;
  }
  throw new HistoryError(`Expected a summary of at most ${maxTokens} tokens; it has more.`, {
    code: "MODEL_FAILED",
  });
}

const SLACK = 8;

/** A summary to count, before it has an id. */
export function provisionalSummary(
  content: string,
  strategy: string,
  view: HistoryView,
): SummaryEntry {
  return { type: "summary", id: "", createdAtMs: 0, content, strategy, trust: "user", view };
}

/** Returns the trust of a summary: that of its least trusted source, never `system` by default. */
function leastTrust(entries: readonly HistoryEntry[]): Trust {
  const isTool = entries.some((entry) => {
    if (entry.type === "summary" || entry.type === "memory") return entry.trust === "tool";
    // Tool results, and agents and uploads, which may quote them.
    return !["user_message", "assistant_message", "task"].includes(entry.type);
  });
  return isTool ? "tool" : "user";
}

/** Returns the covered entries of a view as runs, in order. */
function runsOf(
  covered: readonly HistoryEntry[],
  indexes: ReadonlyMap<HistoryEntry, number>,
): readonly EntryRun[] {
  const indexOf = (entry: HistoryEntry): number => indexes.get(entry) ?? -1;
  const runs: { from: string; to: string }[] = [];
  let next = -1;
  for (const entry of covered.toSorted((one, other) => indexOf(one) - indexOf(other))) {
    const last = runs.at(-1);
    if (indexOf(entry) === next && last !== undefined) last.to = entry.id;
    else runs.push({ from: entry.id, to: entry.id });
    next = indexOf(entry) + 1;
  }
  return runs;
}
