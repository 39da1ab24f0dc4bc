import type { ChatMessage, ChatToolCall } from "./chat-message.ts";
import { seededRandom } from "./random.ts";
import type { Random } from "./random.ts";

const WORDS =
  "the agent reads a page of the report and finds seven wizards who box quickly over a lazy dog while rain falls on every open valve".split(
    " ",
  );
const CJK = "今日は雨が降っているので弁は閉じたままです東京から大阪まで電車で三時間かかります";

/**
 * Generates a conversation that ends where a model is called: system message, turns with single and parallel calls, results from
 * empty to giant, in English, Chinese characters and JSON. Every call is answered. One seed gives one conversation.
 */
export function generateHistory(seed: number): readonly ChatMessage[] {
  const random = seededRandom(seed);
  const messages: ChatMessage[] = [
    { role: "system", content: prose(random, 10 + random.below(60)) },
  ];
  const turns = 2 + random.below(14);
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: "user", content: text(random, 8 + random.below(60)) });
    const rounds = random.below(4);
    for (let round = 0; round < rounds; round++)
      messages.push(...toolRound(random, `${turn}-${round}`));
    const isLast = turn === turns - 1;
    if (!isLast) messages.push({ role: "assistant", content: text(random, 5 + random.below(120)) });
  }
  return messages;
}

function toolRound(random: Random, name: string): readonly ChatMessage[] {
  const count = 1 + random.below(3);
  const calls: ChatToolCall[] = Array.from({ length: count }, (_, index) => ({
    id: `call-${name}-${index}`,
    type: "function",
    function: {
      name: random.pick(["search", "read_page", "run_command"]),
      arguments: JSON.stringify({ query: prose(random, 1 + random.below(8)) }),
    },
  }));
  const content = random.below(2) === 0 ? null : prose(random, 4 + random.below(20));
  return [
    { role: "assistant", content, tool_calls: calls },
    ...calls.map(({ id }): ChatMessage => ({
      role: "tool",
      tool_call_id: id,
      content: result(random),
    })),
  ];
}

function result(random: Random): string {
  const kind = random.below(10);
  if (kind === 0) return "";
  // One in ten is larger than most windows it will be fitted to.
  if (kind === 1) return text(random, 800 + random.below(1200));
  return text(random, 5 + random.below(150));
}

function text(random: Random, words: number): string {
  const kind = random.below(5);
  if (kind === 0) return CJK.repeat(1 + Math.floor(words / 12));
  if (kind === 1) return json(random, words);
  return prose(random, words);
}

function json(random: Random, words: number): string {
  const rows = Array.from({ length: 1 + Math.floor(words / 8) }, (_, id) => ({
    id,
    name: prose(random, 3),
    price: random.below(10_000) / 100,
  }));
  return JSON.stringify(rows);
}

/** English words, as many as asked for. */
export function prose(random: Random, words: number): string {
  return Array.from({ length: words }, () => WORDS[random.below(WORDS.length)]).join(" ");
}

/** A conversation of about so many messages behind one system message: whole turns of a question, a call, its result and an answer, and a question. */
export function longHistory(length: number, seed = 1): readonly ChatMessage[] {
  const random = seededRandom(seed);
  const messages: ChatMessage[] = [{ role: "system", content: prose(random, 100) }];
  for (let turn = 0; messages.length + 4 < length; turn++) {
    messages.push(...ordinaryTurn(random, turn));
  }
  return [...messages, { role: "user", content: prose(random, 30) }];
}

/** One turn: a question, a call, its result and an answer; some 250 tokens. */
export function ordinaryTurn(random: Random, turn: number): readonly ChatMessage[] {
  const id = `call-${turn}`;
  const call = {
    id,
    type: "function",
    function: { name: "search", arguments: '{"query":"valve"}' },
  } as const;
  return [
    { role: "user", content: prose(random, 20 + random.below(40)) },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: prose(random, 40 + random.below(120)) },
    { role: "assistant", content: prose(random, 20 + random.below(80)) },
  ];
}
