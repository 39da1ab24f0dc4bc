import { groupExchanges, repairHistory } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { fitToWindow } from "@agent-history/reducer";
import type { ModelMessage } from "ai";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/run-loop.ts";
import { fromModelMessages, toModelMessages } from "./model-messages.ts";

const text = (nth: number): string => `Of turn ${nth}. `.repeat(20);

/** A turn in which the provider runs a program that calls a tool, and in a later answer says what it gave. */
function turn(nth: number): readonly ModelMessage[] {
  const run = { toolCallId: `p${nth}`, toolName: "code_execution" };
  const called = { toolCallId: `c${nth}`, toolName: "read" };
  const caller = { type: "code_execution_20260120", toolId: run.toolCallId };
  return [
    { role: "user", content: `Count the words of ${nth}.` },
    {
      role: "assistant",
      content: [
        { type: "tool-call", ...run, input: {}, providerExecuted: true },
        { type: "tool-call", ...called, input: {}, providerOptions: { anthropic: { caller } } },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", ...called, output: { type: "text", value: text(nth) } }],
    },
    {
      role: "assistant",
      content: [
        { type: "tool-result", ...run, output: { type: "json", value: { stdout: text(nth) } } },
        { type: "text", text: "It is done." },
      ],
    },
  ];
}

describe("what a tool of the provider's gave in a later answer", () => {
  it("is one exchange with its call and with the calls that it made", () => {
    const messages = [...turn(1), ...turn(2)];
    const entries = fromModelMessages(messages);
    const groups = groupExchanges(entries);

    expect(groups.map(({ kind }) => kind)).toEqual([
      "single",
      "exchange",
      "single",
      "single",
      "exchange",
      "single",
    ]);
    expect(groups[1]).toMatchObject({
      entries: [
        { toolCalls: [{ id: "p1" }, { id: "c1", callerId: "p1" }] },
        { callId: "c1" },
        { callId: "p1", toolName: "code_execution", outcome: "success" },
      ],
      unanswered: [],
    });
    expect(checkHistory(entries)).toEqual([]);
    expect(toModelMessages(entries)).toStrictEqual(messages);
  });

  it("goes or stays with its call at every window, and is never edited", () => {
    const messages: ModelMessage[] = [
      ...[1, 2, 3].flatMap((nth) => turn(nth)),
      { role: "user", content: "And?" },
    ];
    const entries = fromModelMessages(messages);
    const kept = new Set<number>();
    for (let contextTokens = 60; contextTokens < 900; contextTokens += 20) {
      const fitted = fitToWindow(entries, { window: { contextTokens }, counter });
      const shown = JSON.stringify(toModelMessages(fitted.entries));
      const ran = [1, 2, 3].filter((nth) => shown.includes(`"toolCallId":"p${nth}"`));
      for (const nth of ran) expect(shown).toContain(JSON.stringify({ stdout: text(nth) }));

      expect(shown.match(/"toolCallId":"p/gu)?.length ?? 0).toBe(2 * ran.length);
      kept.add(ran.length);
    }
    expect(kept).toEqual(new Set([0, 1, 2, 3]));
  });

  it("is dropped where its call was lost, and is not made up where it was lost itself", () => {
    const [asked, called, result, answer] = turn(1);
    const sent = (messages: readonly (ModelMessage | undefined)[]): readonly ModelMessage[] => {
      const given = messages.flatMap((message) => message ?? []);
      return toModelMessages(repairHistory(fromModelMessages(given)).entries);
    };

    expect(sent([asked, answer])).toEqual([
      asked,
      { role: "assistant", content: [{ type: "text", text: "It is done." }] },
    ]);
    expect(sent([asked, called, result, asked])).toEqual([asked, called, result, asked]);
  });
});
