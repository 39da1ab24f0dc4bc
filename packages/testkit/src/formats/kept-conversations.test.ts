import { plainText, readMessages, textOf } from "@agent-history/format-kit";
import type { MessageFormat } from "@agent-history/format-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lawRuns } from "../law-runs.ts";

/** A format whose results take the name of the call before them, so that what a message became depends on others. */
function callingFormat(): MessageFormat {
  return {
    name: "calling",
    idPrefix: "calling",
    types: ["user_message", "action", "observation"],
    shape: "one-to-one",
    read: ({ text, call, result }, { waiting }) => {
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
      if (entry.type === "action") return { call: entry.toolCalls[0]?.name ?? "" };
      const text = plainText(entry.content);
      return entry.type === "observation" ? { result: text } : { text };
    },
  };
}

type Message = Record<string, unknown>;

const arbitraryMessage = fc
  .record({ kind: fc.constantFrom("text", "call", "result"), said: fc.constantFrom("a", "b") })
  .map(({ kind, said }): Message => ({ [kind]: said, meta: { deep: [said, 0] } }));

/** What a caller does between two calls. */
const arbitraryStep = fc.oneof(
  fc.record({
    kind: fc.constant("append"),
    messages: fc.array(arbitraryMessage, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant("copy list") }),
  fc.record({ kind: fc.constant("branch"), at: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant("go back") }),
  fc.record({ kind: fc.constant("repeat"), at: fc.nat({ max: 3 }) }),
  fc.record({
    kind: fc.constant("change"),
    at: fc.nat({ max: 3 }),
    said: fc.constantFrom("a", "b", "c"),
  }),
  fc.record({
    kind: fc.constant("change deep"),
    at: fc.nat({ max: 3 }),
    value: fc.constantFrom(0, -0, "0"),
  }),
  fc.record({ kind: fc.constant("parse again"), at: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant("remove"), at: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant("not a message") }),
  fc.record({ kind: fc.constant("agent"), id: fc.constantFrom("a1", "a2") }),
);

type Step = typeof arbitraryStep extends fc.Arbitrary<infer One> ? One : never;

interface Caller {
  messages: unknown[];
  other: unknown[];
  id: string;
}

function take(step: Step, caller: Caller): void {
  const { messages } = caller;
  const index = "at" in step ? step.at % Math.max(messages.length, 1) : 0;
  const message = messages[index] as Message | undefined;
  switch (step.kind) {
    case "append":
      return void ("messages" in step && messages.push(...step.messages));
    case "copy list":
      return void (caller.messages = [...messages]);
    case "branch":
      caller.other = messages;
      return void (caller.messages = messages.slice(0, index));
    case "go back":
      return void ([caller.messages, caller.other] = [caller.other, messages]);
    case "repeat":
      return void (message && messages.push(message));
    case "change":
      return void (message && "said" in step && Object.assign(message, { text: step.said }));
    case "change deep":
      return void (
        message &&
        "value" in step &&
        Object.assign(message, { meta: { deep: ["a", step.value] } })
      );
    case "parse again":
      return void (message && (messages[index] = structuredClone(message)));
    case "remove":
      return void messages.splice(index, 1);
    case "not a message":
      return void messages.push("hm");
    default:
      return void ("id" in step && (caller.id = step.id));
  }
}

describe("readMessages", () => {
  it("gives of a conversation that it has read before, in whole or in part, and that may have changed in place since, what it gives of one that it never read", () => {
    fc.assert(
      fc.property(fc.array(arbitraryStep, { maxLength: 20 }), (steps) => {
        const format = callingFormat();
        const caller: Caller = { messages: [], other: [], id: "a1" };
        for (const step of steps) {
          take(step, caller);
          const options = { now: () => 0, agent: { id: caller.id, role: "worker" } } as const;
          const entries = readMessages(format, caller.messages, options);

          expect(entries).toStrictEqual(readMessages(callingFormat(), caller.messages, options));
          if (caller.messages.includes("hm")) continue;
          // The same message objects are the same entries, read on or read from the beginning.
          const more = readMessages(format, [...caller.messages, { text: "more" }], options);
          const again = readMessages(format, caller.messages, options);
          expect(entries.every((entry, index) => entry === more[index])).toBe(true);
          expect(entries.every((entry, index) => entry === again[index])).toBe(true);
        }
      }),
      { numRuns: lawRuns(1500) },
    );
  });
});
