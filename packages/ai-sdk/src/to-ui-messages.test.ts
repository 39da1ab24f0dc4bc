import {
  action,
  assistantMessage,
  observation,
  summary,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import { repairFor } from "@agent-history/format-kit";
import { lawRuns } from "@agent-history/testkit";
import { validateUIMessages } from "ai";
import type { UIMessage } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { uiMessages } from "../test-support/ui-messages.ts";
import { toModelMessages } from "./model-messages.ts";
import { modelTarget } from "./model-rules.ts";
import { fromUIMessages, toUIMessages } from "./ui-messages.ts";

/** What a database gives back. */
const stored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

describe("toUIMessages", () => {
  it("gives back what fromUIMessages read: every kind of part and every state of a tool", async () => {
    const entries = await fromUIMessages(uiMessages);

    expect(toUIMessages(entries)).toEqual(uiMessages);
    expect(toUIMessages(stored(entries))).toEqual(uiMessages);
    await expect(validateUIMessages({ messages: toUIMessages(entries) })).resolves.toEqual(
      uiMessages,
    );
  });

  it("gives back any message that is JSON, and one with undefined as JSON keeps it", async () => {
    const part = fc.oneof(
      fc.constantFrom(...uiMessages.flatMap(({ parts }) => parts)),
      fc.record({ type: fc.constant("data-x"), data: fc.jsonValue() }),
      fc.record({ type: fc.constant("text"), text: fc.string(), state: fc.constant(undefined) }),
    );
    const message = fc.record({
      role: fc.constantFrom("system", "user", "assistant"),
      metadata: fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined }),
      parts: fc.array(part, { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 5 }), async (some) => {
        const all = some.map((one, index) => ({ id: `m${index}`, ...one })) as UIMessage[];
        const entries = stored(await fromUIMessages(all));
        expect(stored(toUIMessages(entries))).toEqual(stored(all));
      }),
      { numRuns: lawRuns(150) },
    );
  });

  it.each([
    [null],
    [{ type: "tool-invocation", toolInvocation: { state: "result" } }],
    [{ type: "file", mediaType: "image/png", url: "no URL" }],
    [5],
  ])("loses nothing beside a part that the AI SDK cannot convert: %j", async (odd) => {
    const said = { type: "text", text: "Said." };
    const parts = (...some: unknown[]): unknown[] => [odd, ...some];
    const inserted = {
      type: "steering-message",
      id: "s1",
      parts: parts({ ...said, text: "Wait." }),
    };
    const messages = [
      { id: "1", role: "user", parts: parts(said) },
      { id: "2", role: "assistant", parts: parts(said, inserted) },
      { id: "3", role: "user", parts: parts(said) },
    ] as UIMessage[];
    const entries = await fromUIMessages(messages);
    const sent = JSON.stringify(toModelMessages(repairFor(modelTarget(), entries).entries));

    expect(sent.match(/Said\.|Wait\./gu)).toEqual(["Said.", "Said.", "Wait.", "Said."]);
    expect(toUIMessages(stored(entries))).toEqual(messages);
  });

  it("makes messages of entries from elsewhere: an answer is one, with its calls and results", async () => {
    const toolCalls = [
      { id: "c1", name: "find", arguments: '{"to":"Rome"}' },
      { id: "c2", name: "find", arguments: '{"to":"Oslo"}' },
    ];
    const from = { actionId: "x1", toolName: "find" } as const;
    const messages = toUIMessages([
      systemMessage({ id: "s1", content: "You book flights." }),
      summary({ id: "m1", content: "They spoke.", covers: [], strategy: "own", trust: "user" }),
      userMessage({ id: "u1", content: "To Rome.", rendered: "To Rome. Today is Monday." }),
      action({ id: "x1", content: "I look.", toolCalls }),
      observation({ ...from, callId: "c1", outcome: "success", content: "Two flights." }),
      observation({ ...from, callId: "c2", outcome: "error", content: "It broke." }),
      assistantMessage({ id: "a1", content: "Two." }),
      userMessage({ id: "u2", content: "Take the first." }),
    ]);

    expect(messages.map(({ id, role }) => `${id} ${role}`)).toEqual([
      "s1 system",
      "u1 user",
      "x1 assistant",
      "u2 user",
    ]);
    expect(messages[1]?.parts).toEqual([{ type: "text", text: "To Rome." }]);
    expect(messages[2]?.parts).toMatchObject([
      { type: "step-start" },
      { type: "text", text: "I look." },
      { type: "tool-find", toolCallId: "c1", state: "output-available", output: "Two flights." },
      { type: "tool-find", toolCallId: "c2", state: "output-error", errorText: "It broke." },
      { type: "step-start" },
      { type: "text", text: "Two." },
    ]);
    await expect(validateUIMessages({ messages })).resolves.toEqual(messages);
  });

  it("shows what an entry says now", async () => {
    const entries = await fromUIMessages(uiMessages);
    const cleaned = entries.map((entry) =>
      entry.id === "u1" ? userMessage({ ...entry, content: "Cleaned." }) : entry,
    );

    expect(toUIMessages(cleaned)[1]?.parts[0]).toEqual({ type: "text", text: "Cleaned." });
  });
});
