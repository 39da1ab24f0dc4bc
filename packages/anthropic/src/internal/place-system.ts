import type { RequestMessage } from "./request-message.ts";

/** System messages beside the messages of a request, and among them. */
export interface PlacedSystem {
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
  let isBegun = false;
  for (const message of given) {
    if (message.role !== "system") {
      if (message.role === "assistant" && mayFollow(messages)) settle();
      messages.push(message);
      isBegun = true;
    } else if (message.blocks.length === 0) messages.push(message);
    else if (isBegun && (inMessages ?? message.isOwn)) held.push(message);
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
