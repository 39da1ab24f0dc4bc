import { describe, expect, it } from "vitest";

import { messageCounter } from "./count-messages.ts";

const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } } as const;

describe("messageCounter", () => {
  it("counts 3, the role and the content of a message, 3, name and arguments of a call, and 3 for the request", () => {
    const { countMessage, countRequest } = messageCounter({ remembers: false });

    expect(countMessage({ role: "user", content: "Hello" })).toBe(3 + 1 + 1);
    expect(countMessage({ role: "assistant", content: null, tool_calls: [call] })).toBe(
      3 + 1 + 3 + 1 + 1,
    );
    expect(countRequest([{ role: "user", content: "Hello" }])).toBe(3 + 3 + 1 + 1);
  });

  it("knows how much it tokenized, and tokenizes a text that it remembers once", () => {
    const message = { role: "user", content: "Hello" } as const;
    const [remembering, forgetful] = [true, false].map((remembers) => {
      const counter = messageCounter({ remembers });
      counter.countMessage(message);
      counter.countMessage(message);
      return counter.tokenized();
    });

    expect([remembering, forgetful]).toEqual([2, 4]);
  });
});
