import type { JsonObject } from "@agent-history/core";

import { prose } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import { remembered } from "../messages/remembered.ts";
import type { ReasoningGiven, ReasoningWay, Trim } from "../systems/all-systems.ts";
import type { Dialect } from "./reasoning-talk.ts";

/** Ways that one writes by hand, for a provider. */
export function handWritten(dialect: Dialect): readonly ReasoningWay[] {
  return [
    ["sliding window", (given) => sliding(dialect, given)],
    ["sliding window, all thinking dropped", (given) => bareSliding(dialect, given)],
    ["summary at each call", (given) => summaryEachCall(dialect, given)],
    ...(dialect.provider === "Anthropic"
      ? [
          [
            "provider's compaction (simulated)",
            (given: ReasoningGiven) => compacting(dialect, given),
          ] as const,
        ]
      : []),
  ];
}

/** The newest messages that fit: from a question on, else the first question and from an answer on. */
function sliding(dialect: Dialect, { limit, count }: ReasoningGiven): Trim {
  return (messages) => {
    const start = tailStart(dialect, messages, { limit, count });
    const [first] = messages;
    if (start === 0 || first === undefined) return messages;
    const question = messages.findIndex((one, index) => index >= start && isQuestion(dialect, one));
    return question < 0 ? [first, ...messages.slice(start)] : messages.slice(question);
  };
}

function bareSliding(dialect: Dialect, given: ReasoningGiven): Trim {
  const trim = sliding(dialect, given);
  const bare = remembered((message: JsonObject): readonly JsonObject[] => {
    if (message["type"] === "reasoning") return [];
    const blocks = dialect.blocks(message);
    const said = blocks.filter(({ type }) => type !== "thinking");
    return [said.length === blocks.length ? message : { ...message, content: said }];
  });
  return async (messages) => (await trim(messages)).flatMap(bare);
}

/** A summary that is written anew at each call, then the newest messages. */
function summaryEachCall(dialect: Dialect, { limit, count }: ReasoningGiven): Trim {
  return (messages) => {
    const start = tailStart(dialect, messages, { limit: limit - 300, count });
    if (start === 0) return messages;
    const text = `The ${start} messages before, in short: ${prose(seededRandom(start), 180)}`;
    return [dialect.asks(text), ...messages.slice(start)];
  };
}

/** Where the messages are full, the server summarizes the older half of them; the turns behind it are kept as they are. */
function compacting(dialect: Dialect, { limit, count }: ReasoningGiven): Trim {
  let summary: JsonObject[] = [];
  let from = 0;
  return (messages) => {
    const sent = [...summary, ...messages.slice(from)];
    if (sumOf(sent, count) <= limit) return sent;
    const start = tailStart(dialect, messages, { limit: limit / 2, count });
    const head = [...summary, ...messages.slice(from, start)];
    const asked = { ...dialect.body(head), compaction: { type: "summarize" } };
    const text = prose(seededRandom(start), 180);
    summary = [
      { role: "user", content: dialect.wire.write({ text }, "s", asked)["content"] ?? [] },
    ];
    from = start;
    return [...summary, ...messages.slice(from)];
  };
}

/** The first message of the longest tail within a limit that begins with an answer or a question; 0 where all fit. */
function tailStart(
  dialect: Dialect,
  messages: readonly JsonObject[],
  { limit, count }: ReasoningGiven,
): number {
  let start = messages.length;
  for (let tokens = 0; start > 0; start -= 1) {
    tokens += count(messages[start - 1] ?? {});
    if (tokens > limit) break;
  }
  if (start === 0) return 0;
  const isStart = (index: number): boolean => {
    const [kind, before] = [messages[index], messages[index - 1]].map((one = {}) =>
      kindOf(dialect, one),
    );
    return kind === "question" || (kind === "answer" && before !== "answer");
  };
  while (start < messages.length && !isStart(start)) start += 1;
  // Where not even the newest round fits, it is sent all the same.
  if (start < messages.length) return start;
  return messages.findLastIndex((_message, index) => isStart(index));
}

function isQuestion(dialect: Dialect, message: JsonObject): boolean {
  return kindOf(dialect, message) === "question";
}

function kindOf(dialect: Dialect, message: JsonObject): "question" | "answer" | "result" {
  const [first = {}] = dialect.blocks(message);
  if (first["type"] === "tool_result" || first["type"] === "function_call_output") return "result";
  return message["role"] === "user" ? "question" : "answer";
}

function sumOf(messages: readonly JsonObject[], count: ReasoningGiven["count"]): number {
  return messages.reduce((sum, message) => sum + count(message), 0);
}
