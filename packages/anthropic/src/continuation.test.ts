import { describe, expect, it } from "vitest";

import { continuation, sendContinuation } from "./index.ts";

const mark = { cache_control: { type: "ephemeral" as const } };
const text = (said: string, more: object = {}) => ({ type: "text" as const, text: said, ...more });
const user = (...content: ReturnType<typeof text>[]) => ({ role: "user" as const, content });
const content = [
  { type: "thinking" as const, thinking: "Hm.", signature: "Eq" },
  text("Which day?"),
];
const answer = { role: "assistant" as const, content };
const tools = [{ name: "find", input_schema: { type: "object" } }];
const head = { system: "You book flights.", tools };
const last = {
  request: { ...head, messages: [user(text("To Rome.", mark))] },
  message: { id: "msg_1", content },
};
const grown = [user(text("To Rome.")), answer, user(text("Friday.", mark))];

describe("continuation", () => {
  it("gives what is new, whatever marks for the cache moved, without what the thread has", () => {
    expect(continuation({ ...head, messages: grown }, last)).toEqual({
      messages: [user(text("Friday.", mark))],
      thread: { type: "continue", previous_message_id: "msg_1" },
    });
  });

  it("begins a thread where anything before has changed, or nothing is new", () => {
    const changed = [
      { ...head, messages: [user(text("To Paris.")), answer, user(text("Friday."))] },
      {
        ...head,
        messages: [
          grown[0] ?? answer,
          { ...answer, content: [text("Which?")] },
          user(text("Friday.")),
        ],
      },
      { ...head, messages: grown.slice(0, 2) },
      { ...head, messages: grown.slice(2) },
      { ...head, messages: grown, system: "You book trains." },
      { messages: grown, tools: [] },
    ];
    for (const request of changed) {
      expect(continuation(request, last)).toEqual({ ...request, thread: { type: "create" } });
    }
  });

  it("sends the whole where the thread is gone", async () => {
    const request = { ...head, messages: grown };
    const sent: string[] = [];
    await sendContinuation(request, last, async ({ thread }) => {
      sent.push(thread.type);
      if (thread.type === "continue") throw Object.assign(new Error("gone"), { status: 404 });
    });
    expect(sent).toEqual(["continue", "create"]);
  });
});
