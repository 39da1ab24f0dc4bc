import { convertToModelMessages, jsonSchema, tool } from "ai";
import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";

import { fromModelMessages, toModelMessages } from "./model-messages.ts";
import { fromUIMessages } from "./ui-messages.ts";

/** Every kind of part of a UI message of the AI SDK 7. */
const conversation: UIMessage[] = [
  { id: "s1", role: "system", parts: [{ type: "text", text: "You read." }] },
  {
    id: "u1",
    role: "user",
    metadata: { sentAt: 5 },
    parts: [
      { type: "text", text: "What does it say?" },
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" },
      { type: "file", mediaType: "application/pdf", url: "https://a.example/b.pdf" },
    ],
  },
  {
    id: "a1",
    role: "assistant",
    parts: [
      { type: "step-start" },
      {
        type: "reasoning",
        text: "I look.",
        providerMetadata: { anthropic: { signature: "EqQBEqQB" } },
      },
      { type: "text", text: "I look it up." },
      { type: "source-url", sourceId: "1", url: "https://a.example", title: "A" },
      { type: "data-note", data: { shown: true } },
      {
        type: "tool-read",
        toolCallId: "c1",
        state: "output-available",
        input: { path: "a.md" },
        output: { text: "Words." },
      },
      {
        type: "dynamic-tool",
        toolName: "later",
        toolCallId: "c2",
        state: "output-error",
        input: {},
        errorText: "It broke.",
      },
      { type: "step-start" },
      { type: "text", text: "It says words." },
    ],
  },
  { id: "u2", role: "user", parts: [{ type: "text", text: "Delete it." }] },
  {
    id: "a2",
    role: "assistant",
    parts: [
      {
        type: "tool-read",
        toolCallId: "c3",
        state: "approval-requested",
        input: {},
        approval: { id: "approve_3" },
      },
    ],
  },
];

describe("fromUIMessages", () => {
  it("gives entries the id of their message, the same when an answer has grown", async () => {
    const grown = await fromUIMessages(conversation);
    const before = await fromUIMessages(
      conversation.map((message) =>
        message.id === "a1" ? { ...message, parts: message.parts.slice(0, 6) } : message,
      ),
    );

    expect(before.map(({ id }) => id).filter((id) => id.startsWith("a1"))).toEqual(["a1", "a1/1"]);
    expect(grown.map(({ id }) => id).slice(0, 6)).toEqual([
      "s1",
      "u1",
      "a1",
      "a1/1",
      "a1/2",
      "a1/3",
    ]);
    expect(grown.every(({ origin }) => origin?.derivedId === undefined)).toBe(true);
  });

  it("gives two messages of one id different ids", async () => {
    const parts = [{ type: "text" as const, text: "Go on." }];
    const message = { id: "u1", role: "user" as const, parts };
    const entries = await fromUIMessages([message, { ...message }, { ...message, id: "" }]);

    expect(new Set(entries.map(({ id }) => id)).size).toBe(3);
    expect(entries.map(({ origin }) => origin?.derivedId)).toEqual([undefined, true, true]);
  });

  it("says what the AI SDK's own conversion says", async () => {
    const entries = await fromUIMessages(conversation);

    expect(toModelMessages(entries)).toEqual(await convertToModelMessages(conversation));
    expect(entries.map(({ type }) => type)).toEqual([
      "system_message",
      "user_message",
      "action",
      "observation",
      "observation",
      "assistant_message",
      "user_message",
      "action",
    ]);
  });

  it("leaves out requests that a later message passed over, as the AI SDK does", async () => {
    const on: UIMessage = {
      id: "u3",
      role: "user",
      parts: [{ type: "text", text: "Never mind." }],
    };
    const entries = await fromUIMessages([...conversation, on]);

    expect(toModelMessages(entries)).toEqual(await convertToModelMessages([...conversation, on]));
  });

  it("keeps what a prompt has no place for beside the first entry of its message", async () => {
    const entries = await fromUIMessages(conversation);

    expect(entries.map(({ metadata }) => metadata)).toEqual([
      { uiMessage: { id: "s1" } },
      { uiMessage: { id: "u1", metadata: { sentAt: 5 } } },
      {
        uiMessage: {
          id: "a1",
          // By index what its entries say, whole what a prompt has no place for.
          parts: [
            0,
            1,
            2,
            { part: { type: "source-url", sourceId: "1", url: "https://a.example", title: "A" } },
            { part: { type: "data-note", data: { shown: true } } },
            3,
            { of: 4, with: { type: "dynamic-tool", toolName: "later" } },
            5,
            6,
          ],
        },
      },
      undefined,
      undefined,
      undefined,
      { uiMessage: { id: "u2" } },
      { uiMessage: { id: "a2", parts: [1] } },
    ]);
  });

  it("gives the same ids for the same messages", async () => {
    const before = await fromUIMessages(conversation);

    const copied = await fromUIMessages(structuredClone(conversation));
    expect(copied.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  it("shows a tool's result as the tool says", async () => {
    const read = tool({
      inputSchema: jsonSchema<{ path: string }>({ type: "object" }),
      execute: ({ path }) => path,
      toModelOutput: () => ({ type: "text", value: "Shown." }),
    });
    const entries = await fromUIMessages(conversation, { tools: { read } });

    expect(entries[3]).toMatchObject({ type: "observation", content: "Shown." });
  });

  it("stops at its signal", async () => {
    const signal = AbortSignal.abort();

    await expect(fromUIMessages(conversation, { signal })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });
});

describe("a message of any length", () => {
  it("is read, where it has 65,000 steps", async () => {
    const steps = Array.from({ length: 65_000 }, (_, nth): UIMessage["parts"] => [
      { type: "step-start" },
      {
        type: "dynamic-tool",
        toolName: "read",
        toolCallId: `c${nth}`,
        state: "output-available",
        input: {},
        output: "Words.",
      },
    ]);

    const entries = await fromUIMessages([{ id: "a1", role: "assistant", parts: steps.flat() }]);

    expect(entries).toHaveLength(130_000);
  });

  it("is read, where a thought bears a list of 200,000", () => {
    const providerOptions = { local: { steps: Array.from({ length: 200_000 }, () => "a") } };

    const [entry] = fromModelMessages([
      { role: "assistant", content: [{ type: "reasoning", text: "So.", providerOptions }] },
    ]);

    expect(entry?.type).toBe("assistant_message");
  });
});
