import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { continuation, sendContinuation } from "./index.ts";
import type { ResponseItem, SentResponse } from "./index.ts";

const user = (content: string): ResponseItem => ({ role: "user", content });
const said = (content: string): ResponseItem => ({ type: "message", role: "assistant", content });
const call = (id: string): ResponseItem => ({
  type: "function_call",
  call_id: id,
  name: "find",
  arguments: "{}",
});
const result = (id: string): ResponseItem => ({
  type: "function_call_output",
  call_id: id,
  output: "Two.",
});

/** A request, its answer, what came since, and how the conversation was edited before it is sent again. */
const runs = fc.record({
  before: fc.array(fc.constantFrom(user("A"), said("B"), user("C")), {
    minLength: 1,
    maxLength: 5,
  }),
  answer: fc.constantFrom([said("Yes.")], [call("c1")], [said("Wait."), call("c1"), call("c2")]),
  since: fc.array(fc.constantFrom(user("D"), result("c1"), result("c2")), {
    minLength: 1,
    maxLength: 3,
  }),
  edit: fc.constantFrom("none", "none", "first", "drop", "answer", "later answer", "none since"),
});

describe("continuation", () => {
  it("gives what makes the whole with what the server holds, or the whole", () => {
    let continued = 0;
    fc.assert(
      fc.property(runs, ({ before, answer, since, edit }) => {
        const sent = [...before, user("Q")];
        const last: SentResponse = { items: sent, response: { id: "resp_1", output: answer } };
        const items = [...sent, ...answer, ...since];
        if (edit === "first") items[0] = user("edited");
        if (edit === "drop") items.splice(0, 1);
        if (edit === "answer") items[sent.length] = said("edited");
        if (edit === "later answer") items.push(said("Another."), user("And?"));
        if (edit === "none since") items.splice(sent.length + answer.length);
        const { input, previous_response_id } = continuation(items, last);
        const isContinued = previous_response_id === "resp_1";
        if (isContinued) continued += 1;
        expect(isContinued ? edit : "whole").toBe(isContinued ? "none" : "whole");
        expect(isContinued ? [...sent, ...answer, ...input] : input).toEqual(items);
      }),
    );
    expect(continued).toBeGreaterThan(10);
  });

  it("sends the whole where the response is gone, and throws what else the server says", async () => {
    const items = [user("A"), said("B"), user("C")];
    const last = { items: [user("A")], response: { id: "resp_1", output: [said("B")] } };
    const sent: number[] = [];
    const failing = (error: object) =>
      sendContinuation(items, last, async ({ input, previous_response_id }) => {
        sent.push(input.length);
        if (previous_response_id !== undefined) throw error;
        return "taken";
      });

    expect(await failing({ status: 404 })).toBe("taken");
    expect(await failing({ status: 400, code: "previous_response_not_found" })).toBe("taken");
    await expect(failing({ status: 429 })).rejects.toEqual({ status: 429 });
    expect(sent).toEqual([1, 3, 1, 3, 1]);
  });
});
