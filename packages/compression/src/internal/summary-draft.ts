import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { SummaryPart } from "@agent-history/core";

import { factParts, writeFacts } from "../facts/fact-parts.ts";
import { lexicalFacts } from "../facts/lexical-facts.ts";
import { extractParts } from "../record/extract-parts.ts";
import { mergeParts } from "../record/merge-parts.ts";
import { wordsOf } from "../record/text.ts";
import { writeParts } from "../record/write-parts.ts";
import type { WrittenSummary } from "../record/write-parts.ts";
import type { Summarizer, SummarizerRequest } from "../summarizer.ts";
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
  const { options, counter } = settings;
  const { signal } = options;
  const text = span.isDropped ? "" : span.text;
  if (text !== undefined) return written(text, request, settings);
  let failure: unknown;
  for (const write of writersOf(request, settings)) {
    throwIfAborted(signal);
    try {
      const draft = await orAborted(write(), signal);
      if (draft !== undefined) return draft;
    } catch (error) {
      throwIfAborted(signal);
      if (isCounterFailure(error)) throw error;
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  if (settings.options.summarizer !== undefined) return undefined;
  const parts =
    span.concepts === undefined
      ? recordOf(span)
      : factParts(lexicalFacts(span.read, span.concepts), span);
  onPiece(1, 1);
  return ofParts(parts, span, counter);
}

/** Who writes, in the order in which they are tried. None: the parts alone. */
function writersOf(
  request: DraftRequest,
  settings: Settings,
): readonly (() => Promise<SummaryDraft | undefined>)[] {
  const { span } = request;
  const { options, counter } = settings;
  const { model, summarizer, fallback } = options;
  const byModel = async (): Promise<SummaryDraft> => {
    if (model === undefined) throw new TypeError("There is no model.");
    const asked = { ...request, counter, ...(options.signal && { signal: options.signal }) };
    if (span.concepts !== undefined) {
      return ofParts(factParts(await modelFacts(asked, model, options), span), span, counter);
    }
    const record = recordOf(span);
    return ofParts(
      mergeParts(record, await modelParts(asked, record, model, options)),
      span,
      counter,
    );
  };
  const by = (write: Summarizer) => (): Promise<SummaryDraft | undefined> =>
    summarized(write, request, settings);
  const plain = span.concepts === undefined ? summarizer : undefined;
  const first = model !== undefined ? byModel : plain === undefined ? undefined : by(plain);
  if (first === undefined) return [];
  return [first, ...(fallback === undefined ? [] : [by(fallback)])];
}

/** The record of a span: that of the summaries that it covers, and what is new. */
function recordOf({ read, previous }: AllowedSpan): readonly SummaryPart[] {
  return mergeParts(previous, extractParts(read, previous));
}

function ofParts(
  parts: readonly SummaryPart[],
  { concepts }: AllowedSpan,
  counter: Settings["counter"],
): SummaryDraft {
  return {
    parts,
    write: (maxTokens) =>
      concepts === undefined
        ? writeParts(parts, { maxTokens, counter })
        : writeFacts(parts, concepts, { maxTokens, counter }),
  };
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
  if (own === "") {
    // Earlier summaries that go with it are still known.
    return { parts: span.previous, write: () => ({ text: nothing, dropped: [] }) };
  }
  return verbatim(own, span.previous.filter(isKept));
}

/** The text of a summarizer stands as it is; instructions of the user that it forgot stand below. */
async function summarized(
  summarize: Summarizer,
  { span, maxTokens, onPiece }: DraftRequest,
  { counter, options }: Settings,
): Promise<SummaryDraft | undefined> {
  const parts = recordOf(span);
  const asked: SummarizerRequest = {
    covered: span.read,
    parts,
    maxTokens,
    counter,
    ...(span.previousText !== "" && { previous: span.previousText }),
    ...(options.signal && { signal: options.signal }),
  };
  const text = usable(await summarize(asked), maxTokens, counter);
  onPiece(1, 1);
  if (text === "") return undefined;
  const kept = parts.filter(isKept);
  const words = wordsOf(text);
  const missing = kept.filter((part) => [...wordsOf(part.text)].some((word) => !words.has(word)));
  const draft = verbatim(text, kept);
  return {
    ...draft,
    write: (most) => {
      const left = most - counter.countText(`${text}\n\n`);
      const below = writeParts(missing, { maxTokens: Math.max(0, left), counter });
      return {
        text: below.text === "" ? text : `${text}\n\n${below.text}`,
        dropped: below.dropped,
      };
    },
  };
}

/** What stays known beside a text that is not written from parts. */
function isKept({ kind }: SummaryPart): boolean {
  return kind === "rule" || kind === "first";
}

function verbatim(text: string, kept: readonly SummaryPart[]): SummaryDraft {
  const at = kept.reduce((most, part) => Math.max(most, part.at), 0);
  return {
    parts: [...kept, { kind: "earlier", key: "earlier", text, at }],
    write: () => ({ text, dropped: [] }),
  };
}

function usable(text: unknown, maxTokens: number, counter: Settings["counter"]): string {
  if (typeof text !== "string") throw unusable("text", typeof text);
  if (isGiant(text, maxTokens)) throw unusable(`at most ${maxTokens} tokens of text`, "more");
  if (text.trim() === "") return "";
  const safe = neutralize(text);
  if (counter.countText(safe) <= maxTokens) return safe;
  throw unusable(`at most ${maxTokens} tokens of text`, "more");
}

function unusable(expected: string, received: string): HistoryError {
  return new HistoryError(`Expected the summarizer to return ${expected}; got ${received}.`, {
    code: "MODEL_FAILED",
  });
}
