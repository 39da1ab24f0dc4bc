import type { UserMessageEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { speakerOf } from "./speaker-of.ts";

describe("speakerOf", () => {
  const labelled = {
    "Ann: Hello": "Ann",
    "[8 May 2023, 13:56] Ann Lee: Hello": "Ann Lee",
    "Ann (13:56): Hello": "Ann",
    'Ann said, "Hello"': "Ann",
    "安：你好": "安",
    "Hey Ann, hello: there": undefined,
    "https://example.org": undefined,
    "12:30 is fine": undefined,
    [`${"long ".repeat(20)}: Hello`]: undefined,
  };

  for (const [content, name] of Object.entries(labelled)) {
    it(`takes ${JSON.stringify(content.slice(0, 40))} for words of ${name ?? "nobody"}`, () => {
      expect(speakerOf(message(content))).toBe(name);
    });
  }

  it("prefers the agent to the provider's name, and that to the label", () => {
    const origin = { format: "openai-chat", message: "0", index: 0, extra: { name: "Bob" } };
    const agent = { id: "w1", role: "worker" } as const;
    expect(speakerOf({ ...message("Ann: Hello"), origin })).toBe("Bob");
    expect(speakerOf({ ...message("Ann: Hello"), origin, agent })).toBe("w1");
  });
});

function message(content: string): UserMessageEntry {
  return { id: "m", type: "user_message", createdAtMs: 0, content };
}
