import type {
  HistoryEntry,
  ReductionPlan,
  RelevanceScorer,
  TokenCounter,
} from "@agent-history/core";
import { fitToWindowAsync } from "@agent-history/reducer";
import type { FitOptions } from "@agent-history/reducer";
import { ENGLISH_RECALL, lexicalScorer } from "@agent-history/reducer/lexical";
import { recallBlocks } from "@agent-history/reducer/recall";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import type { Dialogue } from "../messages/dialogue.ts";
import { growDialogue } from "../messages/growing-dialogue.ts";
import type { Asking, Said } from "../messages/growing-dialogue.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";
import { PRICE } from "./cache.ts";
import { FITTED_WINDOWS } from "./fitted-evidence.ts";

/** How a fit is asked for: as it is by default, or with other options. */
export type Way =
  | "defaults"
  | "firstRequestShare: 0.1"
  | "nothing quoted where no question is asked (a perfect gate)"
  | 'recall: "on-cut"'
  | 'recall: "every-turn"';

/** What incremental fits keep of the evidence, and of the prefix, in the same run. */
export interface RecalledFigures {
  readonly source: string;
  readonly asking: Asking;
  readonly way: Way;
  readonly windows: Readonly<Record<number, RecalledShares>>;
}

interface RecalledShares {
  readonly questions: number;
  readonly requests: number;
  /** Mean share of a question's evidence that stands word for word anywhere in the prompt. */
  readonly evidence: number;
  /** Of all tokens sent, what the request before began with too. */
  readonly prefix: number;
  /** Of a thousand requests, at list prices. */
  readonly dollars: number;
}

/** What is asked, of what, and how. */
export interface RecallRun {
  readonly source: string;
  readonly dialogues: readonly Dialogue[];
  readonly asking: Asking;
  readonly ways: readonly Way[];
  /** Windows in tokens. */
  readonly sizes?: readonly number[];
  /** A scorer for each dialogue. Default: `lexicalScorer`. */
  readonly makeScorer?: () => RelevanceScorer;
}

/** Asks the questions of dialogues as they grow, each call with the plan of the call before, in several ways. */
export async function recalledEvidence(run: RecallRun): Promise<readonly RecalledFigures[]> {
  const { source, dialogues, asking, ways, sizes = FITTED_WINDOWS } = run;
  const { makeScorer = lexicalScorer } = run;
  const counter = countingOnce();
  const runs = ways.flatMap((way) =>
    sizes.map((contextTokens) => ({ way, contextTokens, tally: emptyTally() })),
  );
  for (const dialogue of dialogues) {
    // What is said is the same in every run, so each text is read and counted once.
    const growing = growDialogue(dialogue, asking);
    const scorer = makeScorer();
    for (const { way, contextTokens, tally } of runs)
      await runDialogue(growing, { window: { contextTokens }, counter, scorer }, way, tally);
  }
  return ways.map((way) => {
    const ofWay = runs.filter((one) => one.way === way);
    const windows = ofWay.map((one) => [one.contextTokens, sharesOf(one.tally)] as const);
    return { source, asking, way, windows: Object.fromEntries(windows) };
  });
}

interface Tally {
  evidence: number;
  questions: number;
  requests: number;
  sent: number;
  prefix: number;
}

function emptyTally(): Tally {
  return { evidence: 0, questions: 0, requests: 0, sent: 0, prefix: 0 };
}

function sharesOf({ evidence, questions, requests, sent, prefix }: Tally): RecalledShares {
  const cost = (sent - prefix) * PRICE.input + prefix * PRICE.cachedInput;
  return {
    questions,
    requests,
    evidence: evidence / questions,
    prefix: prefix / sent,
    dollars: (cost / 1_000_000 / requests) * 1000,
  };
}

async function runDialogue(
  growing: readonly Said[],
  options: Omit<FitOptions, "counter"> & { readonly counter: TokenCounter },
  way: Way,
  tally: Tally,
): Promise<void> {
  const { counter } = options;
  const log: HistoryEntry[] = [];
  let plan: ReductionPlan | undefined;
  let before: readonly HistoryEntry[] | undefined;
  for (const { entry, asks, call } of growing) {
    log.push(entry);
    if (call === undefined) continue;
    const previous = plan && { previousPlan: plan };
    const fitted = await fitToWindowAsync([...log], {
      ...options,
      ...optionsOf(way, asks !== undefined),
      ...previous,
    });
    plan = fitted.plan;
    if (asks !== undefined) {
      tally.evidence += shareFound(asks.evidence, growing, fitted.entries);
      tally.questions += 1;
    }
    if (call === "unmeasured") continue;
    if (before !== undefined) {
      const end = before.findIndex((one, nth) => one !== fitted.entries[nth]);
      const same = end < 0 ? before : before.slice(0, end);
      for (const one of same) tally.prefix += counter.countEntry(one);
      tally.sent += plan.totalTokens;
      tally.requests += 1;
    }
    before = fitted.entries;
  }
}

/** A block with no share quotes nothing. */
const SILENT = recallBlocks({ ...ENGLISH_RECALL, share: 0 });

function optionsOf(way: Way, asks: boolean): Partial<FitOptions> {
  switch (way) {
    case "defaults":
      return {};
    case "firstRequestShare: 0.1":
      return { firstRequestShare: 0.1 };
    case "nothing quoted where no question is asked (a perfect gate)":
      return asks ? {} : { recall: SILENT };
    case 'recall: "on-cut"':
      return { recall: "on-cut" };
    case 'recall: "every-turn"':
      return { recall: "every-turn" };
  }
}

/** The share of messages, by their recorded indexes, that stand word for word in a prompt. */
function shareFound(
  evidence: readonly number[],
  growing: readonly Said[],
  entries: readonly HistoryEntry[],
): number {
  const prompt = entries.map(({ content }) => (typeof content === "string" ? content : ""));
  const found = evidence.filter((wanted) => {
    const content = growing.find(({ index }) => index === wanted)?.entry.content;
    return typeof content === "string" && prompt.some((shown) => shown.includes(content));
  });
  return found.length / evidence.length;
}

/** Counts each entry once, as a caller's counter does. */
function countingOnce(): TokenCounter {
  const counter = gptTokenizerCounter({ encoding: "o200k_base" });
  const counts = new WeakMap<HistoryEntry, number>();
  return {
    ...counter,
    countEntry: (entry) => {
      const known = counts.get(entry) ?? counter.countEntry(entry);
      counts.set(entry, known);
      return known;
    },
  };
}

/** Draws what was found. */
export function recalledEvidenceTable(figures: readonly RecalledFigures[]): ResultTable {
  const sizes = Object.keys(figures[0]?.windows ?? {}).map(Number);
  return {
    title: "Evidence: what incremental fits keep of it, and of the prefix, in the same run",
    note: `Mean share of the messages that hold the answer which stand word for word anywhere in the prompt @ share of all tokens sent that the request before began with too, and the cost of 1,000 requests at $${PRICE.input} a million tokens, $${PRICE.cachedInput} where the prefix is unchanged. Each call of \`fitToWindow\` has the plan of the call before, \`lexicalScorer\`, and, unless the row says otherwise, all other options by default.`,
    head: ["questions in a growing chat", ...sizes.map((one) => one.toLocaleString("en"))],
    rows: figures.map(({ source, asking, way, windows }) => [
      `${source}, ${asking}${way === "defaults" ? "" : `, ${way}`}`,
      ...sizes.map((window) => {
        const { evidence = 0, prefix = 0, dollars = 0 } = windows[window] ?? {};
        return `${percent(evidence)} @ ${percent(prefix)}, $${dollars.toFixed(2)}`;
      }),
    ]),
    figures,
  };
}
