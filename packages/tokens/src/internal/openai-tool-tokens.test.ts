import type { JsonObject } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { openaiToolTokens } from "./openai-tool-tokens.ts";

const text = { type: "string", description: "Some text." };

describe("openaiToolTokens", () => {
  it("counts a tool without parameters by its name and its description, whose full stop counts", () => {
    expect(tokens(undefined)).toBe(7 + "search:Searches.".length);
    expect(tokens({})).toBe(7 + "search:Searches.".length);
    expect(tokens({ type: "object", properties: {} })).toBe(7 + "search:Searches.".length);
  });

  it("counts each property by name, type and description without its full stop", () => {
    expect(added({ properties: { a: text } })).toBe(3 + 3 + "a:string:Some text".length);
    expect(added({ properties: { a: text, b: {} } })).toBe(3 + 3 + 18 + 3 + "b::".length);
    expect(added({ properties: { a: { type: ["string", "null"] } } })).toBe(
      3 + 3 + "a:string|null:".length,
    );
  });

  it("counts the items of an enum, text or not", () => {
    expect(added({ properties: { a: { type: "string", enum: ["x", "yy"] } } })).toBe(
      3 + 3 + "a:string:".length - 3 + 3 + 1 + 3 + 2,
    );
    expect(added({ properties: { a: { enum: [1, null] } } })).toBe(3 + 3 + 3 - 3 + 3 + 1 + 3 + 4);
    expect(added({ properties: { a: { enum: [] } } })).toBe(3 + 3 + 3);
  });

  it("counts what the cookbook's rule is silent about: nesting, items and other keywords", () => {
    const nested = { type: "object", properties: { b: text } };
    const list = { type: "array", items: text };
    const bounded = { type: "integer", minimum: 1 };

    expect(added({ properties: { a: nested } })).toBe(3 + 3 + "a:object:".length + 3 + 3 + 18);
    expect(added({ properties: { a: list } })).toBe(
      3 + 3 + "a:array:".length + 3 + "items:string:Some text".length,
    );
    expect(added({ properties: { a: bounded } })).toBe(
      3 + 3 + "a:integer:".length + '{"minimum":1}'.length,
    );
    expect(added({ anyOf: [nested] })).toBe(JSON.stringify({ anyOf: [nested] }).length);
  });

  it("counts any schema, odd ones too, as an integer of at least the bare tool", () => {
    const schemas = fc.oneof(
      fc.dictionary(fc.constantFrom("type", "properties", "items", "enum", "x"), fc.jsonValue()),
      fc.record({ properties: fc.dictionary(fc.string(), fc.jsonValue()) }),
    );
    fc.assert(
      fc.property(schemas, (schema) => {
        const count = tokens(schema as JsonObject);
        expect(Number.isInteger(count)).toBe(true);
        expect(count).toBeGreaterThanOrEqual(tokens(undefined));
      }),
      { numRuns: lawRuns(1000) },
    );
  });
});

/** With a counter of characters. */
function tokens(parameters: JsonObject | undefined): number {
  const tool = { name: "search", description: "Searches." };
  return openaiToolTokens(parameters === undefined ? tool : { ...tool, parameters }, {
    encoding: "o200k_base",
    countText: (line) => line.length,
  });
}

function added(parameters: JsonObject): number {
  return tokens(parameters) - tokens(undefined);
}
