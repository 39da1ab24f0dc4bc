import { arbitraryText } from "@agent-history/testkit";
import type { AssistantModelMessage, JSONValue, ModelMessage, ToolModelMessage } from "ai";
import * as fc from "fast-check";

const said = arbitraryText({ maxLength: 60 });
const long = arbitraryText({ maxLength: 600 });
const noNullPrototype = true;
/** The header of a picture of one pixel: of what has no size, a fit counts an estimate that its window holds. */
const png = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"), (character) =>
  character.charCodeAt(0),
);

type ToolContent = ToolModelMessage["content"][number];
type ResultPart = Extract<ToolContent, { type: "tool-result" }>;
type AnswerPart = Exclude<AssistantModelMessage["content"], string>[number];

const json: fc.Arbitrary<JSONValue> = fc.constantFrom<JSONValue[]>(
  { rows: [1, 2, 3], next: null },
  "a JSON text",
  null,
  Array.from({ length: 40 }, (_, index) => ({ id: index, name: `row ${index}` })),
);

/** An output of each kind of AI SDK 7. */
const output: fc.Arbitrary<ResultPart["output"]> = fc.oneof(
  long.map((value) => ({ type: "text" as const, value })),
  long.map((value) => ({ type: "error-text" as const, value })),
  json.map((value) => ({ type: "json" as const, value: structuredClone(value) })),
  json.map((value) => ({ type: "error-json" as const, value: structuredClone(value) })),
  fc.constant({ type: "execution-denied" as const, reason: "Not today." }),
  long.map((text) => ({
    type: "content" as const,
    value: [
      { type: "text" as const, text },
      {
        type: "file" as const,
        mediaType: "image/png",
        data: { type: "data" as const, data: png },
      },
    ],
  })),
);

const opening: fc.Arbitrary<AnswerPart[]> = fc
  .tuple(
    fc.subarray<AnswerPart>([
      {
        type: "reasoning",
        text: "I look.",
        providerOptions: { anthropic: { signature: "EqQB".repeat(9) } },
      },
    ]),
    fc.array(
      said.map((text): AnswerPart => ({ type: "text", text, providerOptions: { x: { y: 1 } } })),
      { maxLength: 1 },
    ),
  )
  .map((parts) => structuredClone(parts).flat());

/** A call, what else its answer has for it, and what the tool's messages after it have. */
interface Asked {
  readonly answer: readonly AnswerPart[];
  readonly results: readonly ToolContent[];
}

function asked(toolCallId: string): fc.Arbitrary<Asked> {
  const call = {
    type: "tool-call",
    toolCallId,
    toolName: "read",
    input: { path: "a.md" },
  } as const;
  const result = output.map((one): ResultPart => ({
    type: "tool-result",
    toolCallId,
    toolName: "read",
    output: one,
  }));
  const approvalId = `approve_${toolCallId}`;
  const request = { type: "tool-approval-request", approvalId, toolCallId } as const;
  const approval = { type: "tool-approval-response", approvalId, approved: true } as const;
  return fc.oneof(
    result.map((one) => ({ answer: [{ ...call }], results: [one] })),
    result.map((one) => ({ answer: [{ ...call }, request], results: [approval, one] })),
  );
}

/** An answer with calls and their results, in one message or several. */
const exchange: fc.Arbitrary<ModelMessage[]> = fc
  .uniqueArray(fc.constantFrom("call_1", "call_2", "__proto__"), { minLength: 1, maxLength: 3 })
  .chain((ids) => fc.tuple(opening, fc.tuple(...ids.map((id) => asked(id))), fc.boolean()))
  .map(([parts, asks, isTogether]): ModelMessage[] => {
    const results = asks.flatMap((ask) => ask.results);
    const content = [...parts, ...asks.flatMap((ask) => ask.answer)];
    const messages = isTogether ? [results] : results.map((result) => [result]);
    return [
      { role: "assistant", content },
      ...messages.map((one): ModelMessage => ({ role: "tool", content: one })),
    ];
  });

/** A program that the provider runs: it calls the caller's tools, in one answer or more, and says in a later one what it gave. */
const program: fc.Arbitrary<ModelMessage[]> = fc
  .tuple(fc.constantFrom("program_1", "program_2"), fc.integer({ min: 0, max: 2 }), output, long)
  .map(([toolCallId, rounds, given, text]): ModelMessage[] => {
    const toolName = "code_execution";
    const run = { type: "tool-call", toolCallId, toolName, input: {}, providerExecuted: true };
    const ran = { type: "tool-result", toolCallId, toolName, output: given } as const;
    const caller = { type: "code_execution_20260120", toolId: toolCallId };
    const calls = Array.from({ length: rounds }, (_, round) => ({
      toolCallId: `${toolCallId}_${round}`,
      toolName: "read",
    }));
    const called = calls.map((call): AnswerPart => ({
      type: "tool-call",
      ...call,
      input: {},
      providerOptions: { anthropic: { caller } },
    }));
    const results = calls.map((call): ModelMessage => ({
      role: "tool",
      content: [{ type: "tool-result", ...call, output: { type: "text", value: text } }],
    }));
    return [
      { role: "assistant", content: [{ ...run, type: "tool-call" }, ...called.slice(0, 1)] },
      ...results.flatMap((result, round): ModelMessage[] => {
        const next = called.slice(round + 1, round + 2);
        return next.length === 0 ? [result] : [result, { role: "assistant", content: next }];
      }),
      { role: "assistant", content: [structuredClone(ran), { type: "text", text: "It ran." }] },
    ];
  });

const word = said.filter((text) => text.trim() !== "");

/** What a user or a model says in a message of its own. */
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  word.map((content): ModelMessage => ({ role: "user", content })),
  word.map((content): ModelMessage => ({ role: "assistant", content })),
  word.map((text): ModelMessage => ({
    role: "user",
    content: [
      { type: "text", text },
      { type: "file", mediaType: "image/png", data: png, filename: "a.png" },
      { type: "file", mediaType: "application/pdf", data: new URL("https://a.example/b.pdf") },
    ],
  })),
  word.map((text): ModelMessage => ({
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId: "s1",
        toolName: "web_search",
        input: {},
        providerExecuted: true,
      },
      {
        type: "tool-result",
        toolCallId: "s1",
        toolName: "web_search",
        output: { type: "json", value: [1] },
      },
      { type: "text", text },
    ],
  })),
  fc.record({ role: fc.constant("system" as const), content: word }, { noNullPrototype }),
);

/** Generates conversations that providers take, with long results; the last word is the user's. */
export const arbitrarySoundMessages: fc.Arbitrary<readonly ModelMessage[]> = fc
  .array(
    fc.oneof(
      message.map((one) => [one]),
      { weight: 2, arbitrary: exchange },
      program,
    ),
    {
      maxLength: 12,
    },
  )
  .map((pieces): ModelMessage[] => [...pieces.flat(), { role: "user", content: "Go on." }]);

/** Generates conversations out of which messages are gone. */
export const arbitraryBrokenMessages: fc.Arbitrary<readonly ModelMessage[]> = arbitrarySoundMessages
  .chain((messages) => fc.subarray([...messages]))
  .map((messages): ModelMessage[] => [...messages, { role: "user", content: "Go on." }]);
