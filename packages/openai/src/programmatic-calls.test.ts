import { groupExchanges } from "@agent-history/core";
import type { TokenCounter } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { fitToWindow } from "@agent-history/reducer";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { expect, it } from "vitest";

import { fromResponseItems } from "./response-items.ts";
import { checkResponseItems, toResponseItems } from "./response-items.ts";

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

const program = {
  type: "program",
  id: "p1",
  call_id: "program-1",
  code: "await read()",
  fingerprint: "f",
} as const;
const output = {
  type: "program_output",
  id: "po1",
  call_id: "program-1",
  result: "Both read.",
  status: "completed",
} as const;

it("keeps a program, its calls and what it gave together, and gives them back as they came", () => {
  const items: readonly ResponseInputItem[] = [
    { role: "user", content: "Read both." },
    program,
    ...call("c1"),
    ...call("c2"),
    output,
    { role: "assistant", content: "Done." },
    { role: "user", content: "Thanks." },
  ];
  const entries = fromResponseItems(items);
  const [exchange, ...others] = groupExchanges(entries).filter(({ kind }) => kind === "exchange");

  expect(others).toEqual([]);
  expect(exchange).toMatchObject({
    entries: [
      {
        toolCalls: [
          { id: "program-1", name: "program" },
          { id: "c1", callerId: "program-1" },
        ],
      },
      { callId: "c1" },
      { toolCalls: [{ id: "c2", callerId: "program-1" }] },
      { callId: "c2" },
      { callId: "program-1", toolName: "program", content: "Both read." },
    ],
    running: false,
    unanswered: [],
  });
  expect(toResponseItems(entries)).toEqual(items);
  expect(checkHistory(entries)).toEqual([]);
});

it("waits for a program whose calls are not answered yet", () => {
  const [first] = call("c1");
  const entries = fromResponseItems([
    { role: "user", content: "Read." },
    program,
    ...(first ? [first] : []),
  ]);

  expect(groupExchanges(entries).at(-1)).toMatchObject({
    running: true,
    unanswered: [{ id: "program-1" }, { id: "c1" }],
  });
});

it("leaves a program that ran within one answer there, with what it gave", () => {
  const items = [
    { role: "user", content: "Count." },
    program,
    output,
    { role: "assistant", content: "Two." },
  ] as const;
  const entries = fromResponseItems(items);

  expect(entries.map(({ type }) => type)).toEqual(["user_message", "assistant_message"]);
  expect(toResponseItems(entries)).toEqual(items);
});

it("leaves what a program gave as it is where the program is not there", () => {
  const items = [output, { role: "assistant", content: "Two." }] as const;

  expect(toResponseItems(fromResponseItems(items))).toEqual(items);
});

it("goes or stays whole: a fit leaves no call of a program, and no result, without it", () => {
  const turn = (nth: number): readonly ResponseInputItem[] => [
    { role: "user", content: `Read both, ${nth}.` },
    { ...program, id: `p${nth}`, call_id: `program-${nth}` },
    ...["c1", "c2"].flatMap((id) =>
      call(`${id}-${nth}`).map((item) => ({
        ...item,
        caller: { ...caller, caller_id: `program-${nth}` },
      })),
    ),
    { ...output, id: `po${nth}`, call_id: `program-${nth}` },
    { role: "assistant", content: "Done." },
  ];
  const items = [...turn(1), ...turn(2), ...turn(3), { role: "user", content: "And?" } as const];
  const entries = fromResponseItems(items);
  const counter = charactersAsTokens;
  const kept = new Set<number>();
  for (let contextTokens = 100; contextTokens < 5000; contextTokens += 50) {
    const fitted = fitToWindow(entries, { window: { contextTokens }, counter });
    const shown = toResponseItems(fitted.entries);

    expect(checkResponseItems(shown)).toEqual([]);
    const programs = shown.filter((item) => typeOf(item) === "program");
    expect(shown.filter((item) => "caller" in item)).toHaveLength(programs.length * 4);
    kept.add(programs.length);
  }
  expect(kept).toEqual(new Set([0, 1, 2, 3]));
});

function typeOf(item: object): string {
  return "type" in item ? String(item.type) : "";
}

const charactersAsTokens: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) => JSON.stringify({ ...entry, origin: undefined }).length,
  countRequest: () => 0,
};
