import type { RequestMessage } from "./request-blocks.ts";

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
  const taken = turns.flatMap((turn) => (isTaken(turn) ? turn : [joinTurn(turn)]));
  return isBegun(taken) ? taken : [opening, ...taken];
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

/** System messages beside the messages of a request, and among them. */
interface PlacedSystem {
  /** What goes into `system`, in order. */
  readonly top: readonly RequestMessage[];
  readonly messages: readonly RequestMessage[];
}

/**
 * Places system messages where the API takes them. Those before the conversation go into `system`, and so do those of other formats, unless they may stand in messages. One among
 * the messages stays where it is behind a user's message, last or before an answer, or moves to the next such place; where none follows, it goes into `system`. One that only
 * sets `output_config` stays anywhere. Linear.
 *
 * Rules: https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
export function placeSystem(
  given: readonly RequestMessage[],
  inMessages: boolean | undefined,
): PlacedSystem {
  const top: RequestMessage[] = [];
  const messages: RequestMessage[] = [];
  let held: RequestMessage[] = [];
  const settle = (): void => {
    const [first, ...others] = held;
    if (first !== undefined) messages.push(others.length === 0 ? first : joined(first, others));
    held = [];
  };
  let hasBegun = false;
  for (const message of given) {
    if (message.role !== "system") {
      if (message.role === "assistant" && mayFollow(messages)) settle();
      messages.push(message);
      hasBegun = true;
    } else if (message.blocks.length === 0) messages.push(message);
    else if (hasBegun && (inMessages ?? message.isOwn)) held.push(message);
    else top.push(message);
  }
  if (mayFollow(messages)) settle();
  return { top: [...top, ...held], messages };
}

const SERVER_CALLS: ReadonlySet<unknown> = new Set(["server_tool_use", "mcp_tool_use"]);

/** Behind a user's message, or an answer that waits for a server. */
function mayFollow(messages: readonly RequestMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === "user" || SERVER_CALLS.has(last?.blocks.at(-1)?.block["type"]);
}

/** They may not stand in a row. */
function joined(first: RequestMessage, others: readonly RequestMessage[]): RequestMessage {
  const all = [first, ...others];
  const fields = Object.fromEntries(all.flatMap((one) => Object.entries(one.fields)));
  return { ...first, fields, isText: false, blocks: all.flatMap(({ blocks }) => blocks) };
}
