import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { SummaryPart } from "@agent-history/core";

import { factParts, writeFacts } from "../facts/fact-parts.ts";
import { lexicalFacts } from "../facts/lexical-facts.ts";
import { extractParts } from "../record/extract-parts.ts";
import { mergeParts } from "../record/merge-parts.ts";
import { wordsOf } from "../record/text.ts";
import { writeParts } from "../record/write-parts.ts";
import type { WrittenSummary } from "../record/write-parts.ts";
import type { Summarizer } from "../summarizer.ts";
import type { AllowedSpan } from "./allowed-spans.ts";
import { isGiant } from "./check-answer.ts";
import { isCounterFailure } from "./checked-counter.ts";
import { modelFacts, modelParts } from "./model-writer.ts";
import { neutralize } from "./neutralize.ts";
import { orAborted } from "./or-aborted.ts";
import type { Settings } from "./settings.ts";

/** A summary before its size is settled: what it carries, and its text for a cap. */
export interface SummaryDraft {
  readonly parts: readonly SummaryPart[];
  readonly write: (maxTokens: number) => WrittenSummary;
}

/** What the writer of one summary is asked. */
export interface DraftRequest {
  readonly span: AllowedSpan;
  /** The cap on the text. */
  readonly maxTokens: number;
  readonly onPiece: (done: number, total: number) => void;
}

/** Drafts one summary: by the strategy that has written it, the model, the summarizer, else from its parts alone. None where they have nothing to say. */
export async function draftSummary(
  request: DraftRequest,
  settings: Settings,
): Promise<SummaryDraft | undefined> {
  const { span, onPiece } = request;
  const { model, summarizer, fallback, signal } = settings.options;
  const text = span.isDropped ? "" : span.text;
  if (text !== undefined) return written(text, request, settings);
  const own = span.concepts === undefined ? summarizer : undefined;
  if (model === undefined && own === undefined) {
    const facts = span.concepts && factParts(lexicalFacts(span.read, span.concepts), span);
    onPiece(1, 1);
    return ofParts(facts ?? recordOf(span), span, settings);
  }
  const by = (write: Summarizer): Promise<SummaryDraft | undefined> =>
    orAborted(summarized(write, request, settings), signal);
  let failure: unknown;
  try {
    const draft =
      model !== undefined
        ? await orAborted(byModel(model, request, settings), signal)
        : own && (await by(own));
    if (draft !== undefined || fallback === undefined) return draft;
  } catch (error) {
    throwIfAborted(signal);
    if (isCounterFailure(error) || fallback === undefined) throw error;
    failure = error;
  }
  const draft = await by(fallback);
  if (failure === undefined) return draft;
  if (draft === undefined) throw failure;
  settings.onRescued(failure);
  return draft;
}

async function byModel(
  model: NonNullable<Settings["options"]["model"]>,
  request: DraftRequest,
  settings: Settings,
): Promise<SummaryDraft> {
  const { span } = request;
  const { options, counter } = settings;
  const asked = { ...request, counter, ...(options.signal && { signal: options.signal }) };
  if (span.concepts !== undefined) {
    return ofParts(factParts(await modelFacts(asked, model, options), span), span, settings);
  }
  const record = recordOf(span);
  const told = await modelParts(asked, record, model, options);
  return ofParts(mergeParts(record, told), span, settings);
}

/** The record of a span: that of the summaries that it covers, and what is new. */
function recordOf({ read, previous }: AllowedSpan): readonly SummaryPart[] {
  return mergeParts(previous, extractParts(read, previous));
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

/** What a strategy has written stands as it is. Where it has written nothing a line says how much was dropped: a model is to know that something was there. */
function written(
  text: string,
  { span, maxTokens }: DraftRequest,
  { counter }: Settings,
): SummaryDraft {
  const count = span.covered.length;
  const nothing =
    count === 1 ? "One earlier entry was dropped." : `${count} earlier entries were dropped.`;
  const own = usable(text, maxTokens, counter);
  // Earlier summaries that go with it are still known.
  if (own === "") return { parts: span.previous, write: () => ({ text: nothing, dropped: [] }) };
  return verbatim(own, span.previous.filter(isKept));
}

/** The text of a summarizer stands as it is; instructions of the user that it forgot stand below. */
async function summarized(
  summarize: Summarizer,
  { span, maxTokens, onPiece }: DraftRequest,
  { counter, options }: Settings,
): Promise<SummaryDraft | undefined> {
  const parts = recordOf(span);
  const answer = await summarize({
    covered: span.read,
    parts,
    maxTokens,
    counter,
    ...(span.previousText !== "" && { previous: span.previousText }),
    ...(options.signal && { signal: options.signal }),
  });
  const text = usable(answer, maxTokens, counter);
  onPiece(1, 1);
  if (text === "") return undefined;
  const kept = parts.filter(isKept);
  const words = wordsOf(text);
  const missing = kept.filter((part) => [...wordsOf(part.text)].some((word) => !words.has(word)));
  const write = (most: number): WrittenSummary => {
    const left = Math.max(0, most - counter.countText(`${text}\n\n`));
    const below = writeParts(missing, { maxTokens: left, counter });
    return { ...below, text: below.text === "" ? text : `${text}\n\n${below.text}` };
  };
  return { ...verbatim(text, kept), write };
}

/** What stays known beside a text that is not written from parts. */
function isKept({ kind }: SummaryPart): boolean {
  return kind === "rule" || kind === "first";
}

function verbatim(text: string, kept: readonly SummaryPart[]): SummaryDraft {
  const at = kept.reduce((most, part) => Math.max(most, part.at), 0);
  const parts = [...kept, { kind: "earlier", key: "earlier", text, at }];
  return { parts, write: () => ({ text, dropped: [] }) };
}

function usable(text: unknown, maxTokens: number, counter: Settings["counter"]): string {
  if (typeof text !== "string") throw unusable("text", typeof text);
  if (isGiant(text, maxTokens)) throw unusable(`at most ${maxTokens} tokens of text`, "more");
  const safe = text.trim() === "" ? "" : neutralize(text);
  if (counter.countText(safe) <= maxTokens) return safe;
  throw unusable(`at most ${maxTokens} tokens of text`, "more");
}

function unusable(expected: string, received: string): HistoryError {
  return new HistoryError(`Expected the summarizer to return ${expected}; got ${received}.`, {
    code: "MODEL_FAILED",
  });
}
