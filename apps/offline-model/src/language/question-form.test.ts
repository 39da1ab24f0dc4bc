import { describe, expect, it } from "vitest";

import { questionForm } from "./question-form.ts";

describe("questionForm", () => {
  it.each([
    ["What is said about Valves?", "topic"],
    ["What else does valves.md say?", "topic"],
    ["Why does a valve leak?", "reason"],
    ["And when does it open?", "time"],
    ["How many valves are there?", "amount"],
    ["What is the maximum number of valves?", "amount"],
    ["Which pressure is the default?", "default"],
    ["How do I open a valve?", "steps"],
    ["What is a valve?", "definition"],
    ["What does openValve() do?", "definition"],
    ["What does a valve never open?", "fact"],
    ["Is the valve open?", "fact"],
  ] as const)("reads %s as a question for a %s", (question, form) => {
    expect(questionForm(question)).toBe(form);
  });
});
