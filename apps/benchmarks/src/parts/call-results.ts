import type { ChatMessage } from "../messages/chat-message.ts";
import { longHistory, ordinaryTurn } from "../messages/generate-history.ts";
import { textAt } from "../messages/json-fields.ts";
import { withLongResults } from "../messages/long-results.ts";
import { seededRandom } from "../messages/random.ts";
import { readConversations } from "../messages/read-conversations.ts";
import type { Conversation } from "../messages/read-conversations.ts";
import type { ResultTable } from "../report/result-table.ts";
import type { FitSystem } from "../systems/fit-system.ts";
import { measureTurns } from "./call-turns.ts";
import type { CallFigures, CallTurns } from "./call-turns.ts";
import { turnsTable } from "./turns-table.ts";

/** What one system took on a conversation with long tool results. */
export interface ResultFigures extends CallFigures {
  readonly source: string;
  /** Characters of the tool results that the conversation begins with. */
  readonly characters: number;
}

/** What is measured, and how often. */
export interface ResultRequest {
  readonly messages: number;
  readonly repeats: number;
  readonly windowTokens: number;
  /** The folder of recorded conversations. Default: generated ones only. */
  readonly data?: string;
}

/** Every system makes at most as many runs as turns, and twice as many again where a row is unsteady. */
const MOST_RUNS = 3;

/** Measures whole calls on a generated conversation whose results have 20 to 100 kB, and on the recorded ones with the most text in results. */
export async function resultsAll(
  systems: readonly FitSystem[],
  { messages, repeats, windowTokens, data }: ResultRequest,
): Promise<readonly ResultFigures[]> {
  const random = seededRandom(4);
  const generated = {
    whole: withLongResults(longHistory(messages)),
    turn: (nth: number) => withLongResults(ordinaryTurn(random, messages + nth)),
    repeats,
  };
  const recorded = data === undefined ? [] : longestBySource(readConversations(data));
  const sources: readonly (readonly [string, Omit<CallTurns, "windowTokens">])[] = [
    ["generated, results of 20 to 100 kB", generated],
    ...recorded.map((one) => [`recorded, ${one.source}`, turnsOf(one, repeats)] as const),
  ];
  const figures: ResultFigures[] = [];
  for (const [source, turns] of sources) {
    const rows = await measureTurns(systems, { ...turns, windowTokens });
    const characters = resultCharacters(turns.whole);
    figures.push(...rows.map((row) => ({ ...row, source, characters })));
  }
  return figures;
}

/** Begins in the middle of a recorded conversation; each turn is what came until the next call of a model. */
function turnsOf(
  { messages, calls }: Conversation,
  repeats: number,
): Omit<CallTurns, "windowTokens"> {
  const begin = Math.floor(calls.length / 2);
  const at = (nth: number): number => calls[begin + nth] ?? messages.length;
  const turns = calls.length - 1 - begin;
  return {
    whole: messages.slice(0, at(0)),
    turn: (nth) => messages.slice(at(nth), at(nth + 1)),
    repeats: Math.max(2, Math.min(repeats, Math.floor(turns / MOST_RUNS))),
  };
}

function longestBySource(conversations: readonly Conversation[]): readonly Conversation[] {
  const plain = conversations.map((one) => ({ ...one, messages: one.messages.map(withText) }));
  return [...Map.groupBy(plain, ({ source }) => source).values()].flatMap((some) => {
    const [longest] = some.toSorted(
      (one, other) => resultCharacters(other.messages) - resultCharacters(one.messages),
    );
    const hasResults = longest?.messages.some(({ role }) => role === "tool") === true;
    return longest === undefined || !hasResults ? [] : [longest];
  });
}

/** Some recordings have lists of parts, which not every system takes. */
function withText(message: ChatMessage): ChatMessage {
  const content: unknown = message.content ?? null;
  if (content === null && message.role === "assistant") return { ...message, content };
  return { ...message, content: typeof content === "string" ? content : textOfParts(content) };
}

function textOfParts(parts: unknown): string {
  return Array.isArray(parts) ? parts.map((part) => textAt(part, "text")).join("\n") : "";
}

function resultCharacters(messages: readonly ChatMessage[]): number {
  return messages.reduce(
    (sum, { role, content }) => (role === "tool" ? sum + (content?.length ?? 0) : sum),
    0,
  );
}

/** Draws what was found. */
export function resultsTable(rows: readonly ResultFigures[]): ResultTable {
  return turnsTable(rows, {
    title: "Call: conversations with long tool results, handed in whole at every call",
    note: "Milliseconds, as above, at a window of 8,000 tokens. Of each recorded source the conversation with the most text in tool results, from its middle on; each turn is what came until the model's next call.",
    conversation: {
      conversation: ({ source }) => source,
      messages: ({ messages }) => messages.toLocaleString("en"),
      "MB of results": ({ characters }) => (characters / 1e6).toFixed(2),
    },
  });
}
