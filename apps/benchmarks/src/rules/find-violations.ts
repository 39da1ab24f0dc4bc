import type { ChatMessage } from "../messages/chat-message.ts";
import type { MessageCounter } from "../messages/count-messages.ts";
import { turnViolations } from "./turn-violations.ts";
import type { TurnViolationKind } from "./turn-violations.ts";

/** What can be wrong with a request that a system made of a conversation. */
export type ViolationKind =
  | "over"
  | "orphanResult"
  | "unansweredCall"
  | "lostQuestion"
  | "lostSystem"
  | "reordered"
  | "notMessages"
  | TurnViolationKind;

/** What a request is judged against. */
export interface RequestFacts {
  /** The whole conversation that it was made of. */
  readonly conversation: readonly ChatMessage[];
  readonly windowTokens: number;
  readonly counter: MessageCounter;
}

/**
 * Finds what a provider would refuse, or a user miss, in a request. Written from the rules of OpenAI's and Anthropic's APIs
 * (each tool result answers a call of the assistant message before it; each call is answered before anything else is said), on plain
 * messages, without a type or function of any system that is measured.
 */
export function findViolations(
  request: readonly ChatMessage[],
  { conversation, windowTokens, counter }: RequestFacts,
): readonly ViolationKind[] {
  if (!request.every(isMessage)) return ["notMessages"];
  const found = new Set<ViolationKind>(pairingViolations(request));
  if (counter.countRequest(request) > windowTokens) found.add("over");
  const question = conversation.findLast(({ role }) => role === "user");
  if (question !== undefined && !holds(request, question)) found.add("lostQuestion");
  const systems = conversation.filter(({ role }) => role === "system");
  if (!systems.every((message) => holds(request, message))) found.add("lostSystem");
  if (!isInOrder(request, conversation)) found.add("reordered");
  for (const kind of turnViolations(request, conversation)) found.add(kind);
  return [...found];
}

function isMessage(message: unknown): message is ChatMessage {
  return typeof message === "object" && message !== null && "role" in message;
}

function pairingViolations(request: readonly ChatMessage[]): readonly ViolationKind[] {
  const found: ViolationKind[] = [];
  let open: string[] = [];
  for (const message of request) {
    if (message.role === "tool") {
      const index = open.indexOf(message.tool_call_id);
      if (index < 0) found.push("orphanResult");
      else open.splice(index, 1);
      continue;
    }
    if (open.length > 0) found.push("unansweredCall");
    open = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
  }
  if (open.length > 0) found.push("unansweredCall");
  return found;
}

/** Word for word; a system may put something before or after it. */
function holds(request: readonly ChatMessage[], { role, content }: ChatMessage): boolean {
  return request.some(
    (message) => message.role === role && (message.content ?? "").includes(content ?? ""),
  );
}

/** Tells whether the user's messages that are left stand as they stood. Texts that occur twice may be either. */
function isInOrder(request: readonly ChatMessage[], conversation: readonly ChatMessage[]): boolean {
  const asked = conversation.flatMap(({ role, content }) => (role === "user" ? [content] : []));
  let index = 0;
  for (const { role, content } of request) {
    if (role !== "user" || !asked.includes(content)) continue;
    const found = asked.indexOf(content, index);
    if (found < 0) return false;
    index = found + 1;
  }
  return true;
}

/**
 * Tells whether what no system may lose fits the window as it is: system messages, the newest user message and, where tools have
 * just answered, the calls with their results. A refusal where it fits is wrong.
 */
export function protectedPartFits({ conversation, windowTokens, counter }: RequestFacts): boolean {
  const systems = conversation.filter(({ role }) => role === "system");
  const question = conversation.findLast(({ role }) => role === "user");
  const loop =
    conversation.at(-1)?.role === "tool"
      ? conversation.slice(conversation.findLastIndex(({ role }) => role === "assistant"))
      : [];
  const least = [...systems, ...(question === undefined ? [] : [question]), ...loop];
  return counter.countRequest(least) <= windowTokens;
}
