import { isDeepStrictEqual } from "node:util";

import { count, percent } from "../harness.ts";
import type { Measured, RunOptions } from "../harness.ts";
import { messageCounter } from "../messages/chat-message.ts";
import type { ChatMessage } from "../messages/chat-message.ts";
import { generateHistory } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import {
  findViolations,
  numbered,
  protectedPartFits,
  VIOLATIONS,
} from "../rules/find-violations.ts";
import { allSystems } from "../systems/all-systems.ts";
import type { FitSystem } from "../systems/all-systems.ts";

const HEADS = {
  ...VIOLATIONS,
  changedInput: "input changed",
  wrongRefusal: "error although it fits",
};
type Fault = keyof typeof HEADS;
const FAULTS = Object.keys(HEADS).filter((key): key is Fault => key in HEADS);

/** One conversation that must fit one window. */
interface Case {
  readonly conversation: readonly ChatMessage[];
  readonly windowTokens: number;
}

/** How many requests are broken, in which way, of conversations that must fit 15 to 95 percent of their size. */
export async function measureCorrect({ isQuick, withPeers }: RunOptions): Promise<Measured> {
  const cases = generatedCases(isQuick ? 16 : 1000);
  const rows: (readonly string[])[] = [];
  const broken: string[] = [];
  for (const system of await allSystems(withPeers)) {
    const faults = await judge(system, cases);
    const share = (fault: Fault): string => {
      const times = faults.get(fault) ?? 0;
      return times === 0 ? "0" : percent(times / cases.length);
    };
    const over = system.hasNoWindow === true ? "knows no window" : share("over");
    rows.push([system.name, over, ...FAULTS.slice(1).map(share)]);
    if (!system.name.startsWith("agent-history")) continue;
    for (const [fault, times] of faults)
      broken.push(`${system.name}: ${HEADS[fault]}, ${times} cases.`);
  }
  return {
    tables: [
      {
        title: "Broken requests",
        note: `Share of ${count(cases.length)} generated conversations (parallel calls, empty and very large results, Chinese, JSON) whose request breaks a rule of OpenAI's or Anthropic's API, or lacks a message that the user would miss. One checker judges all systems and shares no code with any of them. A summary whose question was cut counts as an answer without its question. Not measured: the quality of answers. Each system is used as its documentation shows, with a model that answers at once.`,
        head: ["system", ...FAULTS.map((fault) => HEADS[fault])],
        rows,
      },
    ],
    broken,
  };
}

function generatedCases(cases: number): readonly Case[] {
  const { countRequest } = messageCounter();
  return Array.from({ length: cases }, (_, seed) => {
    const conversation = numbered(generateHistory(seed));
    const share = 0.15 + seededRandom(seed + 1_000_000).below(8001) / 10_000;
    return { conversation, windowTokens: Math.floor(countRequest(conversation) * share) };
  });
}

async function judge(
  system: FitSystem,
  cases: readonly Case[],
): Promise<ReadonlyMap<Fault, number>> {
  const counter = messageCounter();
  const faults = new Map<Fault, number>();
  const add = (fault: Fault): void => void faults.set(fault, (faults.get(fault) ?? 0) + 1);
  for (const { conversation, windowTokens } of cases) {
    const given = structuredClone(conversation);
    const facts = { conversation, windowTokens, counter };
    try {
      const request = (await system.open(given, windowTokens).fit())();
      const found = findViolations(request, facts);
      found.filter((fault) => fault !== "over" || system.hasNoWindow !== true).forEach(add);
    } catch {
      if (protectedPartFits(facts)) add("wrongRefusal");
    }
    if (!isDeepStrictEqual(given, conversation)) add("changedInput");
  }
  return faults;
}
