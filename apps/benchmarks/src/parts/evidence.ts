import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { userMessage } from "@agent-history/core";
import { fitToWindowAsync } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { tiktokenCounter } from "@agent-history/tokens";
import MiniSearch from "minisearch";

import { count, dollars, percent, PRICE, samePrefix } from "../harness.ts";
import type { Measured, ResultTable, RunOptions } from "../harness.ts";
import { messageCounter } from "../messages/chat-message.ts";
import { ASKINGS, growDialogue, readDialogues } from "../messages/dialogue.ts";
import type { Dialogue, Said } from "../messages/dialogue.ts";

const WINDOWS = [2000, 4000, 8000, 16_000] as const;

/** How much of what answers a question about a long recorded dialogue is in the prompt. */
export async function measureEvidence({ isQuick, data }: RunOptions): Promise<Measured> {
  if (data === undefined) throw new Error("Expected --data FOLDER with recorded dialogues.");
  const windows = isQuick ? [2000] : WINDOWS;
  const tables: ResultTable[] = [];
  const growing: (readonly string[])[] = [];
  for (const [source, dialogues] of Object.entries(readDialogues(data))) {
    tables.push(rankedTable(source, dialogues));
    for (const asking of ASKINGS) {
      const asked = dialogues.map((dialogue) => growDialogue(dialogue, asking));
      const cells = await Promise.all(windows.map((window) => growingCell(asked, window)));
      growing.push([`${source}, ${asking}`, ...cells]);
    }
  }
  tables.push({
    title: "Evidence and the unchanged prefix in a growing chat",
    note: `Incremental fits with \`lexicalScorer\`, other options by default: evidence word for word anywhere in the prompt @ share of tokens in the unchanged prefix, and the cost of 1,000 requests at $${PRICE.input} a million tokens, $${PRICE.cachedInput} where the prefix is unchanged. No model is asked.`,
    head: ["questions", ...windows.map(count)],
    rows: growing,
  });
  return { tables };
}

/** Orders messages by how much they help to answer a question, best first. */
type Ranker = (contents: readonly string[]) => (question: string) => readonly number[];

const RANKERS: Readonly<Record<string, Ranker>> = {
  "recency (trimMessages and others)": (contents) => {
    const order = [...contents.keys()].toReversed();
    return () => order;
  },
  "BM25, MiniSearch with its defaults": (contents) => {
    const engine = new MiniSearch({ fields: ["content"] });
    engine.addAll(contents.map((content, id) => ({ id, content })));
    return (question) => engine.search(question).map(({ id }) => Number(id));
  },
  "agent-history, lexicalScorer": (contents) => {
    const scorer = lexicalScorer();
    const entries = contents.map((content, index) =>
      userMessage({ id: `m${index}`, createdAtMs: index, content }),
    );
    return (question) =>
      scorer
        .score(question, entries)
        .map((score, index) => ({ score, index }))
        .toSorted((one, other) => other.score - one.score || other.index - one.index)
        .map(({ index }) => index);
  },
};

/** Asks every question of every dialogue, and keeps the best single messages that fit beside it. */
function rankedTable(source: string, dialogues: readonly Dialogue[]): ResultTable {
  const { countMessage, countRequest } = messageCounter();
  const questions = dialogues.reduce((sum, one) => sum + one.questions.length, 0);
  const rows = Object.entries(RANKERS).map(([name, ranker]) => {
    const sums = WINDOWS.map(() => 0);
    for (const dialogue of dialogues) {
      const rank = ranker(dialogue.messages.map(({ content }) => content));
      const counts = dialogue.messages.map(countMessage);
      for (const { question, evidence } of dialogue.questions) {
        const order = rank(question);
        const own = countRequest([{ role: "user", content: question }]);
        for (const [nth, window] of WINDOWS.entries()) {
          const kept = keepBest(order, counts, window - own);
          const found = evidence.filter((index) => kept.has(index)).length;
          sums[nth] = (sums[nth] ?? 0) + found / evidence.length;
        }
      }
    }
    return [name, ...sums.map((sum) => percent(sum / questions))];
  });
  return {
    title: `Evidence by ranking, ${source}`,
    note: `Mean share of the messages with the answer that are kept, by window in tokens, over ${count(questions)} questions. The best single messages fill the window; left out: turns, order and the unchanged prefix.`,
    head: ["kept by", ...WINDOWS.map(count)],
    rows,
  };
}

function keepBest(
  order: readonly number[],
  counts: readonly number[],
  budget: number,
): ReadonlySet<number> {
  let left = budget;
  const kept = order.filter((index) => {
    const tokens = counts[index] ?? Infinity;
    const fits = tokens <= left;
    if (fits) left -= tokens;
    return fits;
  });
  return new Set(kept);
}

async function growingCell(
  dialogues: readonly (readonly Said[])[],
  contextTokens: number,
): Promise<string> {
  const counter = tiktokenCounter({ encoding: "o200k_base" });
  const sum = { evidence: 0, questions: 0, requests: 0, sent: 0, prefix: 0 };
  for (const growing of dialogues) {
    const scorer = lexicalScorer();
    const log: HistoryEntry[] = [];
    let previousPlan: ReductionPlan | undefined;
    let before: readonly HistoryEntry[] | undefined;
    for (const { entry, asks, call } of growing) {
      log.push(entry);
      if (call === undefined) continue;
      const options = { window: { contextTokens }, counter, scorer };
      const { entries, plan } = await fitToWindowAsync([...log], {
        ...options,
        ...(previousPlan !== undefined && { previousPlan }),
      });
      previousPlan = plan;
      if (asks !== undefined) {
        sum.evidence += shareFound(asks.evidence, growing, entries);
        sum.questions += 1;
      }
      if (call === "unmeasured") continue;
      if (before !== undefined) {
        const same = samePrefix(before, entries, (one) => one);
        sum.prefix += same.reduce((tokens, one) => tokens + counter.countEntry(one), 0);
        sum.sent += plan.totalTokens;
        sum.requests += 1;
      }
      before = entries;
    }
  }
  const { evidence, questions, requests, sent, prefix } = sum;
  const cost = (dollars(sent - prefix, prefix) / requests) * 1000;
  return `${percent(evidence / questions)} @ ${percent(prefix / sent)}, $${cost.toFixed(2)}`;
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
