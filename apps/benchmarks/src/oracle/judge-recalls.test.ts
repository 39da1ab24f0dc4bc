import { assistantMessage, memory, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { judgeRecalls } from "./judge-recalls.ts";

const asked = userMessage({ id: "u1", content: "My boat is called Heron." });
const said = assistantMessage({ id: "a1", content: "Noted." });
const question = userMessage({ id: "u2", content: "What is my boat called?" });
const block = memory({ id: "recall:u2", content: "user: My boat is called Heron." });
const recall = { id: block.id, before: "u2", quotes: ["u1"], tokens: 5, format: "quoted" };
const given = [asked, said, question];

describe("judgeRecalls", () => {
  it("finds nothing in a block that quotes before its question", () => {
    expect(judged({})).toEqual([]);
  });

  it.each([
    ["a block is not in the prompt", { fitted: [question] }],
    ["a block stands elsewhere", { fitted: [block, said, question] }],
    ["a block of other tokens", { recall: { ...recall, tokens: 6 } }],
    ["quotes out of order", { recall: { ...recall, quotes: ["a1", "u1"] } }],
    ["quotes other words", { given: [{ ...asked, content: "No boat." }, said, question] }],
    ["quotes an entry twice", { recall: { ...recall, quotes: ["u1", "u1"] } }],
  ])("finds: %s", (rule, changed) => {
    expect(judged(changed).map((breach) => breach.rule)).toContain(rule);
  });
});

function judged(
  changed: Partial<Parameters<typeof judgeRecalls>[0]> & { readonly recall?: typeof recall },
): ReturnType<typeof judgeRecalls> {
  const plan = { recalls: [changed.recall ?? recall] };
  return judgeRecalls({ given, fitted: [block, question], plan, countEntry: () => 5, ...changed });
}
