import { describe, expect, it } from "vitest";

import { recordedParts } from "./recorded-parts.ts";

describe("recordedParts", () => {
  it("lists calls, results, texts and bytes of both formats, without thinking", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    const call = { type: "tool_use", id: "c1", name: "find", input: { to: "Rome" } };
    const result = { type: "tool_result", tool_use_id: "c1", content: "At nine." };
    const messages = [
      { role: "user", content: "To Rome." },
      { role: "assistant", content: [thinking, { type: "text", text: "I look." }, call] },
      { role: "user", content: [result, { ...result, tool_use_id: "c0" }] },
    ];
    const parts = recordedParts(messages);

    expect(parts.calls).toEqual([{ id: "c1", name: "find", input: { to: "Rome" } }]);
    expect(parts.results).toEqual(["c1"]);
    expect(parts.resultsWithoutCall).toBe(1);
    expect(parts.texts).toEqual(["To Rome.", "I look.", "At nine.", "At nine."]);
    expect(parts.bytes).toBeLessThan(
      Buffer.byteLength(messages.map((m) => JSON.stringify(m)).join()),
    );

    const items = [
      { type: "function_call", call_id: "c1", name: "find", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "At noon." },
    ];
    expect(recordedParts(items)).toMatchObject({
      calls: [{ id: "c1", name: "find", input: "{}" }],
      results: ["c1"],
      texts: ["At noon."],
    });
  });
});
