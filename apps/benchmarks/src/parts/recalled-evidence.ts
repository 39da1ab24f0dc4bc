import type { HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import { assistantMessage, userMessage } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import type { Dialogue, DialogueQuestion } from "../messages/dialogue.ts";
import { seededRandom } from "../messages/random.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";
import { PRICE } from "./cache.ts";
import { FITTED_WINDOWS } from "./fitted-evidence.ts";

/** When questions are asked in a dialogue that grows: while it goes on, or all of them at its end. */
export type Asking = "a question after every 5 messages" | "one question after another";

/** What incremental fits keep of the evidence, and of the prefix, in the same run. */
export interface RecalledFigures {
  readonly source: string;
  readonly asking: Asking;
  readonly keepOpening: boolean;
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

/** Between two questions so many messages are exchanged, where the dialogue has enough of them. */
const EVERY = 5;

/** Asks the questions of dialogues as they grow, each call with the plan of the call before and all options as they are by default. */
export function recalledEvidence(
  source: string,
  dialogues: readonly Dialogue[],
  how: Pick<RecalledFigures, "asking" | "keepOpening">,
  sizes: readonly number[] = FITTED_WINDOWS,
): RecalledFigures {
  const windows = sizes.map((contextTokens) => {
    const tally = emptyTally();
    for (const dialogue of dialogues) askIn(dialogue, { ...how, contextTokens }, tally);
    const { evidence, questions, requests, sent, prefix } = tally;
    const cost = (sent - prefix) * PRICE.input + prefix * PRICE.cachedInput;
    const shares = {
      questions,
      requests,
      evidence: evidence / questions,
      prefix: prefix / sent,
      dollars: (cost / 1_000_000 / requests) * 1000,
    };
    return [contextTokens, shares] as const;
  });
  return { source, ...how, windows: Object.fromEntries(windows) };
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

/** Something that is said in a dialogue as it grows. */
interface Said {
  readonly isUsers: boolean;
  readonly content: string;
  readonly createdAtMs: number;
  /** Its place among the recorded messages. */
  readonly place?: number;
  readonly asks?: DialogueQuestion;
  /** The model is called for it; not measured before the first question is due. */
  readonly call?: "measured" | "unmeasured";
}

/** One dialogue as it grows: the model is called at each message of the user's that is answered, and at each question. */
function scheduleOf(
  { messages, questions, createdAtMs }: Dialogue,
  asking: Asking,
): readonly Said[] {
  const isSpread = asking !== "one question after another";
  const random = seededRandom(questions.length);
  const open = [...questions];
  const said: Said[] = [];
  let since = 0;
  for (const [place, { role, content }] of messages.entries()) {
    const at = createdAtMs[place] ?? 0;
    const known = open.filter(({ evidence }) => evidence.every((one) => one < place));
    const asked = known[random.below(Math.max(1, known.length))];
    if (isSpread && role === "user" && since >= EVERY && asked !== undefined) {
      open.splice(open.indexOf(asked), 1);
      said.push(...questionAndAnswer(asked, at));
      since = 0;
    }
    const isCalled = role === "user" && messages[place + 1]?.role === "assistant";
    const text = typeof content === "string" ? content : "";
    said.push({
      isUsers: role === "user",
      content: text,
      createdAtMs: at,
      place,
      ...(isCalled && { call: isSpread ? "measured" : "unmeasured" }),
    });
    since += 1;
  }
  const end = createdAtMs.at(-1) ?? 0;
  return isSpread ? said : said.concat(questions.flatMap((one) => questionAndAnswer(one, end)));
}

function questionAndAnswer(asks: DialogueQuestion, createdAtMs: number): readonly Said[] {
  return [
    { isUsers: true, content: asks.question, createdAtMs, asks, call: "measured" },
    { isUsers: false, content: asks.answer, createdAtMs },
  ];
}

function askIn(
  dialogue: Dialogue,
  {
    asking,
    keepOpening,
    contextTokens,
  }: Pick<RecalledFigures, "asking" | "keepOpening"> & { readonly contextTokens: number },
  tally: Tally,
): void {
  const counter = countingOnce();
  const options = { window: { contextTokens }, counter, scorer: lexicalScorer(), keepOpening };
  const log: HistoryEntry[] = [];
  const texts = new Map<number | undefined, string>();
  let plan: ReductionPlan | undefined;
  let before: readonly HistoryEntry[] | undefined;
  for (const { isUsers, content, createdAtMs, place, asks, call } of scheduleOf(dialogue, asking)) {
    const fields = { id: `m${log.length}`, createdAtMs, content };
    log.push(isUsers ? userMessage(fields) : assistantMessage(fields));
    if (place !== undefined) texts.set(place, content);
    if (call === undefined) continue;
    const previous = plan && { previousPlan: plan };
    const fitted = fitToWindow([...log], { ...options, ...previous });
    plan = fitted.plan;
    if (asks !== undefined) {
      const prompt = fitted.entries.map(({ content: shown }) =>
        typeof shown === "string" ? shown : "",
      );
      const found = asks.evidence.filter((one) => {
        const text = texts.get(one);
        return text !== undefined && prompt.some((shown) => shown.includes(text));
      });
      tally.evidence += found.length / asks.evidence.length;
      tally.questions += 1;
    }
    if (call === "unmeasured") continue;
    if (before !== undefined) {
      const end = before.findIndex((entry, nth) => entry !== fitted.entries[nth]);
      const same = end < 0 ? before : before.slice(0, end);
      for (const entry of same) tally.prefix += counter.countEntry(entry);
      tally.sent += plan.totalTokens;
      tally.requests += 1;
    }
    before = fitted.entries;
  }
}

/** Counts each entry once, as a caller's counter does. */
function countingOnce(): TokenCounter {
  const counter = gptTokenizerCounter({ encoding: "o200k_base" });
  const counts = new WeakMap<HistoryEntry, number>();
  return {
    ...counter,
    countEntry: (entry, viewer) => {
      const known = counts.get(entry) ?? counter.countEntry(entry, viewer);
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
    note: `Mean share of the messages that hold the answer which stand word for word anywhere in the prompt @ share of all tokens sent that the request before began with too, and the cost of 1,000 requests at $${PRICE.input} a million tokens, $${PRICE.cachedInput} where the prefix is unchanged. Each call of \`fitToWindow\` has the plan of the call before, \`lexicalScorer\`, and all other options by default.`,
    head: ["questions in a growing chat", ...sizes.map((one) => one.toLocaleString("en"))],
    rows: figures.map(({ source, asking, keepOpening, windows }) => [
      `${source}, ${asking}${keepOpening ? ", keepOpening: true" : ""}`,
      ...sizes.map((window) => {
        const { evidence = 0, prefix = 0, dollars = 0 } = windows[window] ?? {};
        return `${percent(evidence)} @ ${percent(prefix)}, $${dollars.toFixed(2)}`;
      }),
    ]),
    figures,
  };
}
