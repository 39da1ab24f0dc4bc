import { describe, expect, it } from "vitest";

import type { ChatMessage } from "../messages/chat-message.ts";
import { maskingFigures, maskingTable } from "./masking.ts";

describe("maskingFigures", () => {
  it("measures a session that exceeds its window in every way, and leaves out one that does not or that no way can fit", async () => {
    const messages: ChatMessage[] = [{ role: "user", content: "Find it." }];
    for (let nth = 1; nth <= 40; nth++) {
      const given = { name: "read", arguments: JSON.stringify({ path: `${nth}.ts` }) };
      messages.push({
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${nth}`, type: "function", function: given }],
      });
      messages.push({ role: "tool", tool_call_id: `c${nth}`, content: `word${nth} `.repeat(100) });
    }
    const calls = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
    const long = { source: "Claude Code", messages, calls };
    const short = { ...long, messages: messages.slice(0, 3), calls: calls.slice(0, 1) };

    const asked: ChatMessage = { role: "user", content: "Look at this: ".repeat(3000) };
    const giant = { ...long, messages: [asked, ...messages.slice(1)] };

    const figures = await maskingFigures([long, short, giant], [5000]);

    expect(figures.map(({ way, sessions }) => `${way}: ${sessions}`)).toEqual([
      "default steps: 1",
      "masking: 1",
      "summaries, no model: 1",
      "masking and summaries: 1",
    ]);
    const masking = figures.find(({ way }) => way === "masking");
    expect(masking?.touched).toBe(0);
    expect(masking?.used).toBeGreaterThan(0.7);
    expect(masking?.prefix).toBeGreaterThan(0.85);
    expect(maskingTable(figures).rows.map((row) => row.length)).toEqual([9, 9, 9, 9]);
  });
});
