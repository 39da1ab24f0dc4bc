import { describe, expect, it } from "vitest";

import type { MessageFormat } from "./message-format.ts";
import { plainText } from "./plain-text.ts";
import { readMessages } from "./read-messages.ts";
import { textOf } from "./wire-text.ts";

/** A format of texts, calls and results, and how often it was asked to read and write a message. */
function countingFormat(): { readonly format: MessageFormat; readonly worked: () => number } {
  let work = 0;
  const format: MessageFormat = {
    name: "counting",
    idPrefix: "counting",
    types: ["user_message", "action", "observation"],
    shape: "one-to-one",
    read: ({ text, call, result }, { waiting }) => {
      work += 1;
      if (typeof call === "string") {
        const made = { id: "c1", name: call, arguments: "{}" };
        waiting.add([{ key: made.id, call: made }]);
        return [{ says: { type: "action", toolCalls: [made] } }];
      }
      if (typeof result !== "string") {
        return [{ says: { type: "user_message", content: textOf(text) ?? "" } }];
      }
      const toolName = waiting.answer("c1")?.name ?? "unknown_tool";
      const says = { type: "observation", callId: "c1", toolName, content: result } as const;
      return [{ says: { ...says, outcome: "success" } }];
    },
    write: ([entry]) => {
      work += 1;
      if (entry.type === "action") return { call: entry.toolCalls[0]?.name ?? "" };
      const text = plainText(entry.content);
      return entry.type === "observation" ? { result: text } : { text };
    },
  };
  return { format, worked: () => work };
}

describe("readMessages", () => {
  const conversation = (): Record<string, unknown>[] => [
    { text: "Which flights?" },
    { call: "find" },
    { result: "Two." },
    { text: "Book one." },
  ];

  it("reads and writes nothing of message objects that it knows", () => {
    const { format, worked } = countingFormat();
    const messages = conversation();
    const first = readMessages(format, messages);

    expect(worked()).toBe(8);
    expect(readMessages(format, messages)).toEqual(first);
    expect(worked()).toBe(8);
    for (const [index, entry] of readMessages(format, messages).entries()) {
      expect(entry).toBe(first[index]);
    }
    readMessages(format, [...messages, { text: "And pay." }]);
    expect(worked()).toBe(10);
  });

  it("reads a message anew that was changed in place, and no other", () => {
    const { format, worked } = countingFormat();
    const messages = conversation();
    readMessages(format, messages);
    Object.assign(messages[3] ?? {}, { text: "Book none." });

    expect(readMessages(format, messages)[3]?.content).toBe("Book none.");
    expect(worked()).toBe(10);
  });

  it("reads a result anew where the call before it was changed, though the result was not", () => {
    const { format } = countingFormat();
    const messages = conversation();
    readMessages(format, messages);
    Object.assign(messages[1] ?? {}, { call: "search" });

    expect(readMessages(format, messages)[2]).toMatchObject({ toolName: "search" });
  });

  it("knows a message object in each of the places where it stands, and for each agent", () => {
    const { format, worked } = countingFormat();
    const goOn = { text: "Go on." };
    const messages = [goOn, { text: "Yes?" }, goOn, goOn];
    const agent = { id: "a1", role: "worker" } as const;
    const [ours, its] = [readMessages(format, messages), readMessages(format, messages, { agent })];
    const before = worked();

    expect(new Set(ours.map(({ id }) => id)).size).toBe(4);
    for (const [index, entry] of readMessages(format, messages).entries()) {
      expect(entry).toBe(ours[index]);
    }
    for (const [index, entry] of readMessages(format, messages, { agent }).entries()) {
      expect(entry).toBe(its[index]);
    }
    expect(worked()).toBe(before);
  });

  it("reads and writes nothing of messages that were parsed anew and say the same, and gives them the time of now", () => {
    const { format, worked } = countingFormat();
    const first = readMessages(format, conversation(), { now: () => 1 });
    const before = worked();

    expect(readMessages(format, conversation(), { now: () => 2 })).toEqual(
      first.map((entry) => ({ ...entry, createdAtMs: 2 })),
    );
    expect(worked()).toBe(before);
    readMessages(format, [...conversation(), { text: "And pay." }]);
    expect(worked()).toBe(before + 2);
    readMessages(format, conversation(), { turnId: "t2" });
    expect(worked()).toBe(before + 10);
  });

  it("tells apart long messages wherever they differ", () => {
    const { format } = countingFormat();
    const text = "a".repeat(100);
    readMessages(format, [{ text }]);

    for (let at = 0; at < text.length; at += 1) {
      const other = `${text.slice(0, at)}b${text.slice(at + 1)}`;
      expect(readMessages(format, [{ text: other }])[0]?.content).toBe(other);
    }
  });

  /** Says a bit more than what is remembered of one conversation by content. */
  const long = (name = ""): object[] =>
    Array.from({ length: 1200 }, (_, index) => ({ text: `${name}${index}`.padEnd(8000) }));

  it("reads and writes nothing of a long conversation that was parsed anew, however it goes on", () => {
    const { format, worked } = countingFormat();
    const first = readMessages(format, long(), { now: () => 1 });
    const before = worked();
    const again = long();

    expect(readMessages(format, again, { now: () => 2 })).toEqual(
      first.map((entry) => ({ ...entry, createdAtMs: 2 })),
    );
    const more = readMessages(format, [...again, { text: "And pay." }], { now: () => 3 });
    expect(worked() - before).toBe(2);
    for (const [index, entry] of readMessages(format, again).entries()) {
      expect(entry).toBe(more[index]);
    }
    readMessages(format, [...long(), { text: "And pay." }]);
    expect(worked() - before).toBe(2);
  });

  it("reads of a long conversation that was parsed anew what says otherwise, and no more", () => {
    const { format, worked } = countingFormat();
    readMessages(format, long());
    const before = worked();
    const other = long().with(1100, { text: "other" });

    expect(readMessages(format, other)[1100]?.content).toBe("other");
    expect(worked() - before).toBe(2);
  });

  it("remembers the two newest of long conversations to their end, of others the beginning", () => {
    const { format, worked } = countingFormat();
    const read = (name: string): number => {
      const before = worked();
      readMessages(format, long(name));
      return worked() - before;
    };

    expect(["a", "b", "a", "b"].map(read)).toEqual([2400, 2400, 0, 0]);
    expect(read("c")).toBe(2400);
    expect(read("a")).toBeGreaterThan(0);
  });

  it("remembers of a conversation of more than 100 million characters the beginning", () => {
    const { format, worked } = countingFormat();
    const text = "a".repeat(500_000);
    const longest = (): object[] => Array.from({ length: 210 }, () => ({ text }));
    readMessages(format, longest());
    const before = worked();
    readMessages(format, longest());

    expect(worked() - before).toBeGreaterThan(before / 2);
    expect(worked() - before).toBeLessThan(before);
  });

  it("remembers nothing where the caller gives ids", () => {
    const { format } = countingFormat();
    const messages = conversation();
    let count = 0;
    const newId = (): string => `given-${(count += 1)}`;
    readMessages(format, messages, { newId });

    expect(readMessages(format, messages, { newId }).map(({ id }) => id)).toEqual([
      "given-5",
      "given-6",
      "given-7",
      "given-8",
    ]);
  });
});
