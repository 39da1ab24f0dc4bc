import type { ChatMessage } from "../messages/chat-message.ts";
import { messageCounter } from "../messages/count-messages.ts";
import { prose } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import type { ResultTable } from "../report/result-table.ts";
import { percent } from "../report/statistics.ts";
import type { FitSystem } from "../systems/fit-system.ts";

/**
 * US dollars for a million tokens: GPT-5.1's list price, input and cached input
 * (https://openai.com/api/pricing, read in November 2026). What is an unchanged prefix is billed as cached.
 */
export const PRICE = { input: 1.25, cachedInput: 0.125 };

/** What one system's requests had in common with the request before, over a whole conversation. */
export interface CacheFigures {
  readonly system: string;
  readonly turns: number;
  readonly windowTokens: number;
  readonly sentTokens: number;
  /** Of what was sent, what the request before began with too. */
  readonly prefixTokens: number;
  /** What was sent to a model that summarizes, beside the requests. */
  readonly summarizedTokens: number;
  readonly dollars: number;
}

/** Sends a question at each turn of a growing conversation, and adds its answer. */
export async function cacheOf(
  system: FitSystem,
  { turns, windowTokens }: { readonly turns: number; readonly windowTokens: number },
): Promise<CacheFigures> {
  const counter = messageCounter({ remembers: true });
  const random = seededRandom(7);
  const conversation = system.open([{ role: "system", content: prose(random, 100) }], windowTokens);
  let previous: readonly ChatMessage[] = [];
  let sentTokens = 0;
  let prefixTokens = 0;
  for (let turn = 0; turn < turns; turn++) {
    conversation.append([{ role: "user", content: prose(random, 60) }]);
    const request = (await conversation.fit())();
    sentTokens += counter.countRequest(request);
    prefixTokens += counter.countRequest(samePrefix(previous, request));
    previous = request;
    conversation.append([{ role: "assistant", content: prose(random, 90) }]);
  }
  const fresh = sentTokens - prefixTokens;
  const summarizedTokens = conversation.summarized?.() ?? 0;
  const full = (fresh + summarizedTokens) * PRICE.input;
  const dollars = (full + prefixTokens * PRICE.cachedInput) / 1_000_000;
  const { name } = system;
  return { system: name, turns, windowTokens, sentTokens, prefixTokens, summarizedTokens, dollars };
}

function samePrefix(
  previous: readonly ChatMessage[],
  request: readonly ChatMessage[],
): readonly ChatMessage[] {
  const texts = previous.map((message) => JSON.stringify(message));
  const end = request.findIndex((message, index) => JSON.stringify(message) !== texts[index]);
  return end < 0 ? request : request.slice(0, end);
}

/** Draws what was found. */
export function cacheTable(figures: readonly CacheFigures[]): ResultTable {
  return {
    title: "Cache: what a provider can take from its cache",
    note: `A question and an answer at each turn. Prefix: share of all tokens sent that the request before began with too. Full: mean share of the window that is used. Cost: all requests at $${PRICE.input} a million tokens, $${PRICE.cachedInput} where the prefix is unchanged (GPT-5.1's list price, November 2026). What a summarizing model is sent is in the cost, at the full price; its answers are not.`,
    head: ["system", "turns", "window", "prefix unchanged", "full", "to a summarizer", "cost"],
    rows: figures.map(({ system, turns, windowTokens, sentTokens, prefixTokens, ...rest }) => [
      system,
      turns.toLocaleString("en"),
      windowTokens.toLocaleString("en"),
      percent(prefixTokens / sentTokens),
      percent(sentTokens / turns / windowTokens),
      rest.summarizedTokens.toLocaleString("en"),
      `$${rest.dollars.toFixed(2)}`,
    ]),
    figures,
  };
}
