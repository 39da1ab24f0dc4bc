import { contentText } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { packBinary, textOf } from "./json.ts";
import type { MessageFormat } from "./message-format.ts";
import { readMessages } from "./read-messages.ts";

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
      const text = contentText(entry.content);
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

  it("gives the same entries for the same message objects, and reads only what is new and the message before it", () => {
    const { format, worked } = countingFormat();
    const messages = conversation();
    const first = readMessages(format, messages);
    const before = worked();
    const more = readMessages(format, [...messages, { text: "And pay." }]);

    expect(worked() - before).toBe((2 * before) / messages.length);
    expect(more[4]?.content).toBe("And pay.");
    for (const again of [more, readMessages(format, messages)]) {
      for (const [index, entry] of first.entries()) expect(again[index]).toBe(entry);
    }
  });

  it("reads again a message that was changed in place, and keeps the entries of the others", () => {
    const { format } = countingFormat();
    const messages = conversation();
    const first = readMessages(format, messages);
    Object.assign(messages[0] ?? {}, { text: "Which trains?" });
    const changed = readMessages(format, messages);

    expect(changed[0]?.content).toBe("Which trains?");
    expect(changed[0]?.id).not.toBe(first[0]?.id);
    for (const index of [1, 2, 3]) expect(changed[index]).toBe(first[index]);
  });

  it("notices a change in place in the middle of bytes and of a long text", () => {
    const format = { ...countingFormat().format, pack: packBinary };
    for (const bytes of [new Uint8Array(5000), Buffer.alloc(5000), new ArrayBuffer(5000)]) {
      const messages = [{ text: "See this.", bytes }];
      const [first] = readMessages(format, messages);
      expect(readMessages(format, messages)[0]).toBe(first);
      new Uint8Array(
        bytes instanceof ArrayBuffer ? bytes : bytes.buffer,
        bytes instanceof ArrayBuffer ? 0 : bytes.byteOffset,
      )[2500] = 7;
      const [second] = readMessages(format, messages);
      expect(second === first).toBe(false);
    }
    const text = "a".repeat(100);
    readMessages(format, [{ text }]);
    for (let at = 0; at < text.length; at += 1) {
      const other = `${text.slice(0, at)}b${text.slice(at + 1)}`;
      expect(readMessages(format, [{ text: other }])[0]?.content).toBe(other);
    }
  });

  it("reads a result again where the call before it was changed, though the result was not", () => {
    const { format } = countingFormat();
    const messages = conversation();
    readMessages(format, messages);
    Object.assign(messages[1] ?? {}, { call: "search" });

    expect(readMessages(format, messages)[2]).toMatchObject({ toolName: "search" });
  });

  it("gives a message object its own entry in each place where it stands, and for each agent", () => {
    const { format } = countingFormat();
    const goOn = { text: "Go on." };
    const messages = [goOn, { text: "Yes?" }, goOn, goOn];
    const agent = { id: "a1", role: "worker" } as const;
    const [ours, its] = [readMessages(format, messages), readMessages(format, messages, { agent })];

    expect(new Set(ours.map(({ id }) => id)).size).toBe(4);
    expect(its[0]?.agent).toEqual(agent);
    const again = readMessages(format, messages);
    for (const [index, entry] of readMessages(format, messages).entries()) {
      expect(entry).toBe(again[index]);
    }
  });

  it("gives messages that were parsed again the same entries with the current time", () => {
    const { format } = countingFormat();
    const first = readMessages(format, conversation(), { now: () => 1 });
    const parsed = conversation();
    const again = readMessages(format, parsed, { now: () => 2 });

    expect(again).toEqual(first.map((entry) => ({ ...entry, createdAtMs: 2 })));
    const last = readMessages(format, parsed, { now: () => 3 });
    for (const [index, entry] of again.entries()) expect(last[index]).toBe(entry);
  });

  it("keeps conversations apart that begin alike, however they take turns", () => {
    const { format } = countingFormat();
    const begin = conversation();
    const made = ["a", "b", "c"].map((name) => {
      const messages = [
        ...begin,
        ...Array.from({ length: 9 }, (_, at) => ({ text: `${name}${at}` })),
      ];
      return { messages, entries: readMessages(format, messages) };
    });

    for (const { messages, entries } of [...made, ...made]) {
      const again = readMessages(format, messages);
      for (const [index, entry] of entries.entries()) expect(again[index]).toBe(entry);
    }
  });

  it("caches nothing where the caller gives ids", () => {
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
