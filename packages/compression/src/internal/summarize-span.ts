import type { Compaction, EntryRun, HistoryEntry, SummaryPart, Trust } from "@agent-history/core";
import { HistoryError, summary, throwIfAborted } from "@agent-history/core";

import type { Settings } from "../compress-options.ts";
import { mergeParts } from "../record/merge-parts.ts";
import { readRecord } from "../record/read-record.ts";
import { writeParts } from "../record/write-record.ts";
import type { WrittenSummary } from "../record/write-record.ts";
import { isGiant, orAborted } from "./ask-model.ts";
import { isCounterFailure } from "./checked.ts";
import { frameSummary, neutralize } from "./data-text.ts";
import { lexicalFacts } from "./facts.ts";
import { modelParts } from "./model-parts.ts";
import type { AllowedSpan } from "./plan-compression.ts";

/** A compaction, the parts in its text and those that did not fit. */
export interface FinishedSummary {
  readonly compaction: Compaction;
  readonly shown: readonly SummaryPart[];
  readonly dropped: readonly SummaryPart[];
}

/** What the summaries of one compression have in common. */
export interface SummaryContext {
  /** Index of each entry of the view. */
  readonly indexes: ReadonlyMap<HistoryEntry, number>;
  readonly strategy: string;
}

/** The smallest useful summary, in tokens. */
const LEAST_TEXT_TOKENS = 12;
/** Most tokens that frame and text may count more together than apart. */
const FRAME_SLACK = 4;
const SLACK = 8;

/** Makes the summary of a span under its cap. Returns the reason if there is none. */
export async function summarizeSpan(
  span: AllowedSpan,
  context: SummaryContext,
  settings: Settings,
): Promise<FinishedSummary | string> {
  const { maxTokens, minSavedShare, view, options, tokensOf } = settings;
  const { strategy } = context;
  const usual = Math.min(4000, Math.max(200, Math.floor(span.tokens / 5)));
  const cap = Math.min(maxTokens ?? usual, Math.floor((1 - minSavedShare) * span.tokens));
  const framed = (content: string): number =>
    tokensOf({ type: "summary", id: "", createdAtMs: 0, content, strategy, trust: "user", view });
  let room = cap - framed(frameSummary("")) - FRAME_SLACK;
  if (room < LEAST_TEXT_TOKENS) return `A summary of ${span.tokens} tokens would not save enough.`;
  const { parts, write } = await draftOf(span, room, settings);
  // Frame and text may count more together than apart; then write less.
  for (let attempt = 0; attempt < 4 && room > 0; attempt++) {
    const { text, dropped } = write(room);
    if (text === "") {
      return span.concepts === undefined
        ? "The selected entries contain nothing to summarize."
        : "No facts were found for the concepts.";
    }
    const content = frameSummary(text);
    const excess = framed(content) - cap;
    if (excess <= 0) {
      const trust = options.trust ?? leastTrust(span.covered);
      const covers = runsOf(span.covered, context.indexes);
      const { newId, now } = options;
      const sources = { ...(newId && { newId }), ...(now && { now }) };
      const made = summary({ content, strategy, trust, view, covers, parts }, sources);
      const entry = { ...made, view };
      const sizes = {
        tokensBefore: span.tokens,
        tokensAfter: tokensOf(entry),
        entryCount: span.covered.length,
      };
      const gone = new Set(dropped);
      const shown = parts.filter((part) => !gone.has(part));
      return { compaction: { summary: entry, ...sizes }, shown, dropped };
    }
    room -= excess + SLACK;
  }
  throw new HistoryError(`Expected a summary of at most ${cap} tokens; it has more.`, {
    code: "MODEL_FAILED",
  });
}

/** A summary before its size is known: its parts, and its text for a given cap. */
interface Draft {
  readonly parts: readonly SummaryPart[];
  readonly write: (maxTokens: number) => WrittenSummary;
}

/** Drafts a summary: by the strategy if it wrote it, by the model, else from its record. */
async function draftOf(span: AllowedSpan, maxTokens: number, settings: Settings): Promise<Draft> {
  const { read, previous, isContinued, concepts, text } = span;
  const { counter, onRescued } = settings;
  const { model, fallback = false, signal } = settings.options;
  if (text !== undefined) return writtenDraft(text, span, maxTokens, settings);
  const draft = (parts: readonly SummaryPart[]): Draft => ({
    parts,
    write: (most) => {
      const isWritten = ({ kind }: SummaryPart): boolean => !concepts || kind === "fact";
      const others = parts.filter((part) => !isWritten(part));
      const facts = writeParts(parts.filter(isWritten), { maxTokens: most, counter });
      return { ...facts, dropped: [...others, ...facts.dropped] };
    },
  });
  // Facts need no record of anything else.
  const record = concepts
    ? previous
    : mergeParts(previous, readRecord(read, { previous, isContinued }));
  if (model !== undefined) {
    try {
      const asked = modelParts(model, { span, record, maxTokens }, settings);
      return draft(mergeParts(record, await orAborted(asked, signal)));
    } catch (error) {
      throwIfAborted(signal);
      if (isCounterFailure(error) || !fallback) throw error;
      onRescued(error);
    }
  }
  if (concepts === undefined) return draft(record);
  const at = previous.reduce((most, part) => Math.max(most, part.at + 1), 0);
  return draft(mergeParts(previous, lexicalFacts(read, concepts, at)));
}

/** Uses a strategy's own text unchanged. Without text, a line says how much was dropped, so that the model knows that something was there. */
function writtenDraft(
  text: string,
  { covered, previous }: AllowedSpan,
  maxTokens: number,
  { counter }: Settings,
): Draft {
  const isText = typeof text === "string" && !isGiant(text, maxTokens);
  const safe = isText && text.trim() !== "" ? neutralize(text) : "";
  if (!isText || counter.countText(safe) > maxTokens) {
    throw new HistoryError(
      `Expected the strategy to return a text of at most ${maxTokens} tokens; got ${typeof text === "string" ? "more" : typeof text}.`,
      { code: "MODEL_FAILED" },
    );
  }
  if (safe === "") {
    const count = covered.length;
    const nothing = `${count === 1 ? "One earlier entry was" : `${count} earlier entries were`} dropped.`;
    // Keep the parts of earlier summaries that are dropped with it.
    return { parts: previous, write: () => ({ text: nothing, dropped: [] }) };
  }
  const kept = previous.filter(({ kind }) => kind === "rule" || kind === "first");
  const at = kept.reduce((most, part) => Math.max(most, part.at), 0);
  const own = { kind: "earlier", key: "earlier", text: safe, at };
  return { parts: [...kept, own], write: () => ({ text: safe, dropped: [] }) };
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
