import { createHash } from "node:crypto";

import type { ChatMessage } from "../messages/chat-message.ts";
import { messageCounter } from "../messages/count-messages.ts";
import { generateHistory } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import { callPoints, readRecorded } from "../messages/read-recorded.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";
import { findViolations, protectedPartFits } from "../rules/find-violations.ts";
import type { ViolationKind } from "../rules/find-violations.ts";
import type { FitSystem } from "../systems/fit-system.ts";

/** One conversation that must fit one window. */
export interface Case {
  readonly conversation: readonly ChatMessage[];
  readonly windowTokens: number;
}

type Fault = ViolationKind | "changedInput" | "wrongRefusal";

/** What went wrong with one system, in how many of the cases. */
export interface CorrectFigures {
  readonly system: string;
  readonly cases: number;
  /** It was never told of a window, so that it is not judged by one. */
  readonly hasNoWindow?: true;
  /** Threw, rightly or not. */
  readonly refused: number;
  /** The largest request, as a multiple of its window. */
  readonly worst: number;
  readonly faults: Readonly<Record<Fault, number>>;
}

const NONE: Readonly<Record<Fault, number>> = {
  over: 0,
  orphanResult: 0,
  unansweredCall: 0,
  lostQuestion: 0,
  lostSystem: 0,
  reordered: 0,
  notMessages: 0,
  beginsWithAssistant: 0,
  questionWithoutAnswer: 0,
  answerWithoutQuestion: 0,
  newestLost: 0,
  empty: 0,
  changedInput: 0,
  wrongRefusal: 0,
};

/** Generated conversations, each with a window of 15 to 95 percent of it. */
export function generatedCases(count: number): readonly Case[] {
  const counter = messageCounter({ remembers: false });
  return Array.from({ length: count }, (_, seed) => {
    const conversation = generateHistory(seed);
    const share = 0.15 + seededRandom(seed + 1_000_000).below(8001) / 10_000;
    return { conversation, windowTokens: Math.floor(counter.countRequest(conversation) * share) };
  });
}

/** Recorded conversations at every point where a model was called, at five windows; those that cannot fit are left out. */
export function recordedCases(folder: string): readonly Case[] {
  const counter = messageCounter({ remembers: true });
  return readRecorded(folder).flatMap((messages) =>
    callPoints(messages).flatMap((conversation) =>
      [500, 1000, 2000, 4000, 8000].flatMap((windowTokens) => {
        const one = { conversation, windowTokens };
        const isCut = counter.countRequest(conversation) > windowTokens;
        return isCut && protectedPartFits({ ...one, counter }) ? [one] : [];
      }),
    ),
  );
}

/** Puts every case before one system. */
export async function judge(system: FitSystem, cases: readonly Case[]): Promise<CorrectFigures> {
  const counter = messageCounter({ remembers: true });
  const faults = { ...NONE };
  let refused = 0;
  let worst = 0;
  for (const { conversation, windowTokens } of cases) {
    const given = structuredClone(conversation);
    const before = hash(given);
    const facts = { conversation, windowTokens, counter };
    try {
      const request = (await system.open(given, windowTokens).fit())();
      const found = findViolations(request, facts);
      const counted = system.hasNoWindow === true ? found.filter((kind) => kind !== "over") : found;
      for (const kind of counted) faults[kind] += 1;
      if (!found.includes("notMessages")) {
        worst = Math.max(worst, counter.countRequest(request) / windowTokens);
      }
    } catch {
      refused += 1;
      if (protectedPartFits(facts)) faults.wrongRefusal += 1;
    }
    if (hash(given) !== before) faults.changedInput += 1;
  }
  const { name, hasNoWindow } = system;
  const marks = hasNoWindow === true ? { hasNoWindow } : {};
  return { system: name, cases: cases.length, ...marks, refused, worst, faults };
}

function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** Draws what was found. */
export function correctTable(title: string, figures: readonly CorrectFigures[]): ResultTable {
  return {
    title,
    note: "Share of the cases in which a request was wrong. A question without its answer, or an answer without its question: of a turn that is over, one is shown and the other is not. Refused: an error in its place; wrongly refused: although system messages, newest question and running calls fit. Largest: the largest request as a multiple of its window.",
    head: [
      "system",
      "over",
      "orphan result",
      "unanswered call",
      "question lost",
      "system lost",
      "reordered",
      "holds undefined",
      "begins with an assistant",
      "question without answer",
      "answer without question",
      "newest lost",
      "empty",
      "input changed",
      "wrongly refused",
      "refused",
      "largest",
    ],
    rows: figures.map(
      ({ system, cases, hasNoWindow, faults: { over, ...faults }, refused, worst }) => {
        const share = (count: number): string => (count === 0 ? "0" : percent(count / cases));
        return [
          system,
          hasNoWindow === true ? "no window" : share(over),
          ...Object.values(faults).map(share),
          share(refused),
          worst.toFixed(2),
        ];
      },
    ),
    figures,
  };
}
