import type { RequestMessage } from "./request-message.ts";

/** What is said before an answer that nobody asked for. */
export const OPENING = "(The assistant begins.)";

/**
 * Joins neighbors of one role where one of them did not come as an Anthropic message, or results stand behind something else; results come first. What came as it
 * is, and the API takes, stays as it is. A conversation that an answer begins gets a user's message before it, unless a compaction stands first. Linear.
 */
export function joinTurns(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const turns: RequestMessage[][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (turn?.[0]?.role === message.role && message.role !== "system") turn.push(message);
    else turns.push([message]);
  }
  const joined = turns.flatMap((turn) => (isTaken(turn) ? turn : [joinTurn(turn)]));
  return isBegun(joined) ? joined : [opening, ...joined];
}

const opening: RequestMessage = {
  role: "user",
  blocks: [{ block: { type: "text", text: OPENING }, index: -1 }],
  isText: true,
  fields: {},
  isOwn: false,
};

function isBegun(messages: readonly RequestMessage[]): boolean {
  const first = messages.find(({ role }) => role !== "system");
  if (first?.role !== "assistant") return true;
  const block = first.blocks[0]?.block;
  return block?.["type"] === "compaction" && typeof block["content"] === "string";
}

function isTaken(turn: readonly RequestMessage[]): boolean {
  const isAsItCame = turn.length === 1 || turn.every(({ isOwn }) => isOwn);
  const kinds = turn.flatMap(({ blocks }) => blocks.map(({ block }) => block["type"]));
  const others = kinds.findIndex((kind) => kind !== "tool_result");
  return isAsItCame && (others < 0 || !kinds.includes("tool_result", others));
}

function joinTurn(turn: readonly RequestMessage[]): RequestMessage {
  const [first = opening] = turn;
  const blocks = turn.flatMap((message) => message.blocks);
  const results = blocks.filter(({ block }) => block["type"] === "tool_result");
  const others = blocks.filter(({ block }) => block["type"] !== "tool_result");
  return { ...first, isText: false, blocks: [...results, ...others] };
}
