import { userMessage } from "@agent-history/core";
import type { HistoryEntry, ToolCall } from "@agent-history/core";
import { messageMemory, notingCalls, waitingCalls } from "@agent-history/format-kit";
import type { MessageMemory } from "@agent-history/format-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lawRuns } from "../law-runs.ts";

interface Message {
  said: string;
  kind: "call" | "result" | "text";
  meta: { deep: unknown[] };
}

const message = fc
  .record({
    kind: fc.constantFrom<Message["kind"]>("call", "result", "text"),
    said: fc.constantFrom("a", "b"),
  })
  .map(({ kind, said }): Message => ({ kind, said, meta: { deep: [said, 0] } }));

/** What is done with the conversation that is then read: all of it is parsed again but where it is `kept`. */
const step = fc.record({
  kept: fc.boolean(),
  from: fc.nat({ max: 1 }),
  at: fc.nat({ max: 20 }),
  change: fc.constantFrom("nothing", "said", "deep", "removed", "other"),
  added: fc.array(message, { maxLength: 3 }),
});

/** Reads a conversation with a memory; results take the name of the call before them. */
function read(memory: MessageMemory, messages: readonly Message[]): readonly HistoryEntry[] {
  const waiting = waitingCalls();
  const noting = notingCalls(waiting);
  const opened = memory.open({ waiting, now: () => 0, turnId: undefined, agent: undefined });
  return messages.flatMap((one, index) => {
    const readOne = (): readonly HistoryEntry[] => {
      const call: ToolCall = { id: "c", name: one.said, arguments: "{}" };
      if (one.kind === "call") noting.waiting.add([{ key: "c", call }]);
      const name = one.kind === "result" ? noting.waiting.answer("c")?.name : undefined;
      const content = `${name ?? one.kind}: ${JSON.stringify(one)}`;
      return [userMessage({ id: `${index}`, createdAtMs: 0, content })];
    };
    const location = { index, firstId: undefined };
    return (
      opened.recall(one, index, undefined) ??
      opened.read(one, location, () => ({ entries: readOne(), noted: noting.takeNotes() }))
    );
  });
}

describe("messageMemory", () => {
  it("gives of long conversations that were read before, parsed again and changed or not, what an empty memory gives", () => {
    const conversations = fc.tuple(
      fc.array(message, { minLength: 4, maxLength: 12 }),
      fc.array(message, { minLength: 4, maxLength: 12 }),
    );
    const steps = fc.array(step, { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(conversations, steps, (given, done) => {
        // Some three messages fill it.
        const memory = messageMemory({ conversationRoom: 1000 });
        const callers = structuredClone(given).map((messages) => ({ messages }));
        for (const { kept, from, at, change, added } of structuredClone(done)) {
          const caller = callers[from];
          if (caller === undefined) continue;
          if (!kept) caller.messages = structuredClone(caller.messages);
          const { messages } = caller;
          const one = messages[at % messages.length];
          if (one === undefined) continue;
          if (change === "said") one.said = "c";
          if (change === "deep") one.meta.deep[1] = -0;
          if (change === "removed") messages.splice(at % messages.length, 1);
          if (change === "other") messages.splice(at % messages.length, 1, { ...one, said: "d" });
          messages.push(...added);
          const entries = read(memory, messages);

          expect(entries).toStrictEqual(read(messageMemory(), messages));
          expect(read(memory, messages).every((entry, nth) => entry === entries[nth])).toBe(true);
        }
      }),
      { numRuns: lawRuns(1000) },
    );
  });
});
