import { groupExchanges } from "@agent-history/core";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { expect, it } from "vitest";

import { fromResponseItems } from "./from-response-items.ts";
import { toResponseItems } from "./to-response-items.ts";

const caller = { type: "program", caller_id: "program-1" } as const;
const call = (id: string): readonly ResponseInputItem[] => [
  { type: "function_call", call_id: id, name: "read", arguments: "{}", caller },
  { type: "function_call_output", call_id: id, output: "text", caller },
];

it("keeps calls of one program together, and gives them back as they came", () => {
  const items: readonly ResponseInputItem[] = [
    { role: "user", content: "Read both." },
    ...call("c1"),
    ...call("c2"),
    { role: "assistant", content: "Done." },
  ];
  const entries = fromResponseItems(items);
  const exchanges = groupExchanges(entries).filter((group) => group.kind === "exchange");
  expect(exchanges.map((group) => group.entries.map(({ type }) => type))).toEqual([
    ["action", "observation", "action", "observation"],
  ]);
  expect(toResponseItems(entries)).toEqual(items);
});
