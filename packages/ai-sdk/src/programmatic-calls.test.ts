import { groupExchanges } from "@agent-history/core";
import type { ModelMessage } from "ai";
import { expect, it } from "vitest";

import { fromModelMessages, toModelMessages } from "./model-messages.ts";

const caller = { type: "code_execution_20260120", toolId: "program-1" };
const call = (toolCallId: string): readonly ModelMessage[] => [
  {
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId,
        toolName: "read",
        input: {},
        providerOptions: { anthropic: { caller } },
      },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId,
        toolName: "read",
        output: { type: "text", value: "text" },
      },
    ],
  },
];

it("keeps calls of one program together, and gives them back as they came", () => {
  const messages: ModelMessage[] = [
    { role: "user", content: "Read both." },
    ...call("c1"),
    ...call("c2"),
    { role: "assistant", content: "Done." },
  ];
  const entries = fromModelMessages(messages);
  const exchanges = groupExchanges(entries).filter((group) => group.kind === "exchange");
  expect(exchanges.map((group) => group.entries.map(({ type }) => type))).toEqual([
    ["action", "observation", "action", "observation"],
  ]);
  expect(toModelMessages(entries)).toEqual(messages);
});
