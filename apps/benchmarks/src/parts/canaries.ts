import { addCompactions, compressHistory } from "@agent-history/compression";
import { applyCompactions, assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, SummaryModel, TokenCounter } from "@agent-history/core";

import { canarySession } from "../compaction/canaries.ts";
import type { Turn } from "../compaction/canaries.ts";
import { extractiveModel } from "../compaction/extractive-model.ts";
import { messageCounter } from "../messages/count-messages.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";
import type { PeerSummary } from "../systems/all-systems.ts";

/** What a way of compacting keeps of the canaries of all sessions after the last round. */
export interface CanaryFigures {
  readonly way: string;
  /** Of the characters of the session. */
  readonly share: number;
  readonly planted: number;
  readonly alive: number;
  readonly conflicts: number;
  /** The new value stands there, and the old one does not. */
  readonly resolved: number;
  readonly stale: number;
  readonly pairs: number;
  readonly bothAlive: number;
  readonly overBudget: number;
}

/** Compacts turns on top of what it returned before, under a budget of characters. */
type Compact = (turns: readonly Turn[], budget: number) => Promise<string>;

const ROUNDS = 5;
const SESSIONS = 8;
const characters: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) => textOf(entry).length,
  countRequest: () => 0,
};

function textOf(entry: HistoryEntry): string {
  return "content" in entry && typeof entry.content === "string" ? entry.content : "";
}

/** Plays the sessions in every way, at shares of their characters: the whole session in the first round, one more exchange in each further one. */
export async function canaryFigures(
  seed: number,
  shares: readonly number[],
  peers: Readonly<Record<string, PeerSummary>> = {},
): Promise<readonly CanaryFigures[]> {
  const ways: Readonly<Record<string, () => Compact>> = {
    "agent-history, no model": () => compactWithRecord(),
    "agent-history, extractive model": () =>
      compactWithRecord(async ({ prompt, maxOutputTokens }) => answer(prompt, maxOutputTokens)),
    "first and last": firstAndLast,
    ...Object.fromEntries(
      Object.entries(peers).map(([name, peer]) => [
        `${name}, extractive model`,
        () => compactWithPeer(peer),
      ]),
    ),
  };
  const figures: CanaryFigures[] = [];
  for (const share of shares) {
    for (const [way, make] of Object.entries(ways)) {
      let sum = { planted: 0, alive: 0, conflicts: 0, resolved: 0, stale: 0 };
      let more = { pairs: 0, bothAlive: 0, overBudget: 0 };
      for (let session = 0; session < SESSIONS; session++) {
        const types = await play("types", make(), share, seed + session);
        const changes = await play("changes", make(), share, seed + session);
        sum = {
          planted: sum.planted + types.planted,
          alive: sum.alive + types.alive,
          conflicts: sum.conflicts + changes.conflicts,
          resolved: sum.resolved + changes.resolved,
          stale: sum.stale + changes.stale,
        };
        more = {
          pairs: more.pairs + changes.pairs,
          bothAlive: more.bothAlive + changes.bothAlive,
          overBudget: more.overBudget + types.overBudget + changes.overBudget,
        };
      }
      figures.push({ way, share, ...sum, ...more });
    }
  }
  return figures;
}

async function play(
  suite: "types" | "changes",
  compact: Compact,
  share: number,
  seed: number,
): Promise<Omit<CanaryFigures, "way" | "share">> {
  const { turns, canaries, pairs } = canarySession(suite, seed);
  const budget = Math.floor(share * turns.map(transcriptOf).join("").length);
  const further = canarySession(suite, seed + 1000).turns.slice(0, 2);
  let text = await compact(turns, budget);
  let overBudget = text.length > budget ? 1 : 0;
  for (let round = 1; round < ROUNDS; round++) {
    text = await compact(further.slice(round % 2, (round % 2) + 1), budget);
    overBudget += text.length > budget ? 1 : 0;
  }
  const last = text.toLowerCase();
  const isAlive = (index: number): boolean =>
    canaries[index]?.tokens.every((token) => last.includes(token)) ?? false;
  const indexes = [...canaries.keys()];
  const changed = indexes.filter((index) => canaries[index]?.before !== undefined);
  const isStale = (index: number): boolean =>
    canaries[index]?.stale.some((token) => last.includes(token)) ?? false;
  return {
    planted: canaries.length,
    alive: indexes.filter(isAlive).length,
    conflicts: changed.length,
    resolved: changed.filter((index) => isAlive(index) && !isStale(index)).length,
    stale: changed.filter(isStale).length,
    pairs: pairs.length,
    bothAlive: pairs.filter(([one, other]) => isAlive(one) && isAlive(other)).length,
    overBudget,
  };
}

function transcriptOf({ user, assistant }: Turn): string {
  return `user: ${user}\nassistant: ${assistant}\n`;
}

function compactWithRecord(model?: SummaryModel): Compact {
  let log: readonly HistoryEntry[] = [];
  return async (turns, budget) => {
    const said = turns.flatMap(({ user, assistant }) => [
      userMessage({ content: user }),
      assistantMessage({ content: assistant }),
    ]);
    // The newest user message is never covered.
    log = [...log, ...said, userMessage({ content: "Go on." })];
    const options = { counter: characters, tailTokens: 0, maxTokens: budget, minSavedShare: 0.01 };
    const result = await compressHistory(log, { ...options, ...(model && { model }) });
    if (result.outcome !== "compressed")
      throw new Error(`Expected a summary, got ${result.outcome}: ${result.reason}`);
    log = addCompactions(log, result.compactions);
    return applyCompactions(log, "thread")
      .filter(({ type }) => type === "summary")
      .map(textOf)
      .join("\n");
  };
}

/** The beginning and the end of all that there is. */
function firstAndLast(): Compact {
  let text = "";
  return (turns, budget) => {
    const all = [text, ...turns.map(transcriptOf)].join("");
    const half = Math.floor(budget / 2);
    text = all.length <= budget ? all : all.slice(0, half) + all.slice(-half);
    return Promise.resolve(text);
  };
}

/** What a peer writes replaces all that there is, and is the first message of the next round. */
function compactWithPeer(peer: PeerSummary): Compact {
  let text = "";
  return async (turns, budget) => {
    const before = text === "" ? [] : [{ role: "user" as const, content: text }];
    const said = turns.flatMap(({ user, assistant }) => [
      { role: "user" as const, content: user },
      { role: "assistant" as const, content: assistant },
    ]);
    text = await peer({
      messages: [...before, ...said, { role: "user", content: "Go on." }],
      ask: (prompt) => answer(prompt, budget - FRAME),
      counter: messageCounter({ remembers: true }),
    });
    return text;
  };
}

/** Characters of what a library writes around a summary. */
const FRAME = 80;

function answer(prompt: string, most: number): string {
  // Its first line is not in what it counts.
  return extractiveModel(prompt, most - 20, (text) => text.length);
}

/** Draws what was found. */
export function canaryTable(figures: readonly CanaryFigures[], seed: number): ResultTable {
  return {
    title: "Compaction: planted statements after five rounds",
    note: `After the protocol of compaction-conformance-kit: ${SESSIONS} sessions with 20 typed statements and ${SESSIONS} with 8 statements that change in other words and 3 pairs that resemble each other, among exchanges of no note; the budget is a share of the characters of the session and stays the same over ${ROUNDS} rounds. Wordings and values are drawn anew in each run (seed ${seed}). Published for its best way, with its own wordings: 40, 85 and 100% alive at 10, 20 and 30%; 56, 100 and 100% of changes resolved, no old value.`,
    head: [
      "way",
      "share of the characters",
      "alive",
      "changes resolved",
      "old values",
      "pairs kept",
      "over the budget",
    ],
    rows: figures.map((one) => [
      one.way,
      percent(one.share),
      percent(one.alive / one.planted),
      `${one.resolved} of ${one.conflicts}`,
      `${one.stale}`,
      `${one.bothAlive} of ${one.pairs}`,
      `${one.overBudget}`,
    ]),
    figures,
  };
}

/** What is promised without a model: at 30% every change resolved, no old value, nothing over the budget. */
export function brokenCanaries(figures: readonly CanaryFigures[]): readonly string[] {
  return figures
    .filter(({ way }) => way === "agent-history, no model")
    .filter(
      ({ share, resolved, conflicts, stale, overBudget }) =>
        overBudget > 0 || stale > 0 || (share >= 0.3 && resolved < conflicts),
    )
    .map(({ share }) => `planted statements at ${percent(share)}: a change was missed.`);
}
