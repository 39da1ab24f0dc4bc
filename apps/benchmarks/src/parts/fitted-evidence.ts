import type { HistoryEntry, RelevanceScorer } from "@agent-history/core";
import { assistantMessage, userMessage } from "@agent-history/core";
import { fitToWindowAsync } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import type { Dialogue } from "../messages/dialogue.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";

/** What a stateless fit leaves of the evidence of one kind of question, or of one dialogue. */
export interface FittedFigures {
  readonly source: string;
  readonly about: string;
  readonly questions: number;
  /** Mean share of a question's evidence that stands word for word in the prompt, by window. */
  readonly shares: Readonly<Record<number, number>>;
}

/** The windows, in tokens; the question is within them. */
export const FITTED_WINDOWS: readonly number[] = [2000, 4000, 8000, 16_000];

interface Asked {
  readonly dialogue: string;
  readonly kind: string;
  readonly shares: Readonly<Record<number, number>>;
}

/** Asks every question after the whole dialogue, each for itself, and fits all of it into each window, turns whole. */
export async function fittedEvidence(
  source: string,
  dialogues: readonly Dialogue[],
  makeScorer: () => RelevanceScorer = lexicalScorer,
): Promise<readonly FittedFigures[]> {
  const asked: Asked[] = [];
  for (const dialogue of dialogues) asked.push(...(await askAll(dialogue, makeScorer())));
  const ofKinds = Map.groupBy(asked, ({ kind }) => kind);
  const ofDialogues = Map.groupBy(asked, ({ dialogue }) => dialogue);
  return [
    meansOf(source, "all questions", asked),
    ...[...(ofKinds.size > 1 ? ofKinds : [])].map(([kind, some]) => meansOf(source, kind, some)),
    ...[...ofDialogues].map(([name, some]) => meansOf(source, `the dialogue ${name}`, some)),
  ];
}

async function askAll(
  { name, messages, questions }: Dialogue,
  scorer: RelevanceScorer,
): Promise<readonly Asked[]> {
  const counter = gptTokenizerCounter({ encoding: "o200k_base" });
  const entries = messages.map(({ role, content }, index): HistoryEntry => {
    const fields = { id: `m${index}`, createdAtMs: index, content: content ?? "" };
    return role === "user" ? userMessage(fields) : assistantMessage(fields);
  });
  const asked: Asked[] = [];
  for (const [nth, { kind, question, evidence }] of questions.entries()) {
    const fields = { id: `q${nth}`, createdAtMs: entries.length, content: question };
    const all = [...entries, userMessage(fields)];
    const shares: Record<number, number> = {};
    for (const contextTokens of FITTED_WINDOWS) {
      const fitted = await fitToWindowAsync(all, { window: { contextTokens }, counter, scorer });
      const kept = new Set(fitted.entries);
      const found = evidence.filter((index) => {
        const entry = entries[index];
        return entry !== undefined && kept.has(entry);
      });
      shares[contextTokens] = found.length / evidence.length;
    }
    asked.push({ dialogue: name, kind, shares });
  }
  return asked;
}

function meansOf(source: string, about: string, asked: readonly Asked[]): FittedFigures {
  const shares = FITTED_WINDOWS.map((window) => {
    const sum = asked.reduce((total, one) => total + (one.shares[window] ?? 0), 0);
    return [window, sum / asked.length] as const;
  });
  return { source, about, questions: asked.length, shares: Object.fromEntries(shares) };
}

/** Draws what was found. */
export function fittedEvidenceTable(figures: readonly FittedFigures[]): ResultTable {
  return {
    title: "Evidence: what a stateless fit leaves of it, turns whole",
    note: "Mean share of the messages that hold the answer which stand word for word in the prompt of `fitToWindow` with `lexicalScorer`, by window in tokens. Each question is asked after the whole dialogue.",
    head: ["questions", "how many", ...FITTED_WINDOWS.map((window) => window.toLocaleString("en"))],
    rows: figures.map(({ source, about, questions, shares }) => [
      `${source}, ${about}`,
      questions.toLocaleString("en"),
      ...FITTED_WINDOWS.map((window) => percent(shares[window] ?? 0)),
    ]),
    figures,
  };
}
