import { describe, expect, it } from "vitest";

import { tiktokenCounter } from "../tiktoken-counter.ts";

const counter = tiktokenCounter({ encoding: "o200k_base" });
const parameters = { type: "object", properties: { to: { type: "string" } } };

describe("countRequest", () => {
  it("refuses tools of another shape instead of counting them low", () => {
    let deep: object = {};
    for (let level = 0; level < 200_000; level++) deep = { items: deep };
    const wrong: unknown[] = [
      null,
      { type: "function", function: { name: "find", parameters } },
      { name: "find", parameters: "a schema" },
      { name: "find", parameters: { "~standard": { version: 1 } } },
      { name: "find", parameters: { parse: () => true } },
      { name: "find", parameters: deep },
    ];

    const lists: unknown[] = [null, "find", 5, {}, ...wrong.map((tool) => [tool])];
    for (const tools of lists) {
      expect(() => counter.countRequest(tools as never)).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION", details: { option: "tools" } }),
      );
    }
  });

  it("counts a definition, with or without parameters", () => {
    const bare = counter.countRequest([{ name: "find" }]);

    expect(counter.countRequest([{ name: "find", parameters }])).toBeGreaterThan(bare);
  });
});
