import type { ChatMessage, MessageCounter } from "../messages/chat-message.ts";

/** What can be wrong with a request that a system made of a conversation, as the head of a table. */
export const VIOLATIONS = {
  over: "over the window",
  orphanResult: "orphaned tool result",
  unansweredCall: "unanswered tool call",
  lostQuestion: "newest question missing",
  lostSystem: "system message missing",
  notMessages: "field `undefined`",
  beginsWithAssistant: "starts with an answer",
  questionWithoutAnswer: "answer cut, question kept",
  answerWithoutQuestion: "question cut, answer kept",
  newestLost: "newest message missing",
  empty: "empty",
  reordered: "order changed",
} as const;

/** A violation. */
export type ViolationKind = keyof typeof VIOLATIONS;

/** What a request is judged against. */
export interface RequestFacts {
  /** The whole conversation that it was made of, {@link numbered}. */
  readonly conversation: readonly ChatMessage[];
  readonly windowTokens: number;
  readonly counter: MessageCounter;
}

/** Numbers all questions and answers, so that a request shows which are left, also where they were shortened: `#17 Which flights?`. */
export function numbered(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.map((message, index) =>
    message.role === "user" || isAnswer(message)
      ? { ...message, content: `#${index} ${message.content}` }
      : message,
  );
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
  for (const kind of turnViolations(request, conversation)) found.add(kind);
  return [...found];
}

function isMessage(message: unknown): message is ChatMessage {
  return typeof message === "object" && message !== null && "role" in message;
}

function isAnswer(message: ChatMessage): boolean {
  return message.role === "assistant" && message.tool_calls === undefined;
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

/**
 * Finds what tears turns apart: a request that begins with an answer though the conversation begins with a question, a
 * question shown without the last answer to it or the answer without the question, questions in another order, the newest message lost,
 * nothing left at all.
 */
function turnViolations(
  request: readonly ChatMessage[],
  conversation: readonly ChatMessage[],
): readonly ViolationKind[] {
  const [first, begun] = [request, conversation].map((messages) =>
    messages.find(({ role }) => role !== "system"),
  );
  if (first === undefined) return begun === undefined ? [] : ["empty"];
  const found: ViolationKind[] = [];
  if (first.role !== "user" && begun?.role === "user") found.push("beginsWithAssistant");
  const shown = numbersIn(request);
  for (const { questions, answer } of finishedTurns(conversation)) {
    if (answer === undefined) continue;
    const isAsked = questions.some((index) => shown.includes(index));
    if (isAsked === shown.includes(answer)) continue;
    found.push(isAsked ? "questionWithoutAnswer" : "answerWithoutQuestion");
  }
  const asked = numbersIn(request.filter(({ role }) => role === "user"));
  if (asked.some((index, nth) => index < (asked[nth - 1] ?? 0))) found.push("reordered");
  const newest = conversation.at(-1);
  const isLeft =
    newest?.role === "tool"
      ? request.some((one) => one.role === "tool" && one.tool_call_id === newest.tool_call_id)
      : shown.includes(conversation.length - 1);
  return isLeft ? found : [...found, "newestLost"];
}

function numbersIn(messages: readonly ChatMessage[]): readonly number[] {
  return messages.flatMap(({ content }) =>
    [...(content ?? "").matchAll(/#(\d+) /gu)].map(([, index]) => Number(index)),
  );
}

interface FinishedTurn {
  readonly questions: readonly number[];
  /** The index of the last message without calls that the assistant said. */
  readonly answer: number | undefined;
}

/** All turns but the one that is being answered. Questions in a row belong to one. */
function finishedTurns(conversation: readonly ChatMessage[]): readonly FinishedTurn[] {
  const turns: { questions: number[]; answer: number | undefined }[] = [];
  for (const [index, message] of conversation.entries()) {
    const isInRow = conversation[index - 1]?.role === "user";
    if (message.role === "user" && !isInRow) turns.push({ questions: [], answer: undefined });
    const turn = turns.at(-1);
    if (turn === undefined) continue;
    if (message.role === "user") turn.questions.push(index);
    if (isAnswer(message)) turn.answer = index;
  }
  return turns.slice(0, -1);
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
