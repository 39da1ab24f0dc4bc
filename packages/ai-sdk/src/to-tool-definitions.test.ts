import { tiktokenCounter } from "@agent-history/tokens";
import { jsonSchema, zodSchema } from "ai";
import type { ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { toToolDefinitions, toToolDefinitionsSync } from "./to-tool-definitions.ts";

describe("toToolDefinitions", () => {
  it("takes a schema of zod, whose JSON Schema is still a Standard Schema", async () => {
    const find = { description: "Finds.", inputSchema: z.object({ to: z.string() }) };

    expect(await toToolDefinitions({ find })).toMatchObject([
      {
        name: "find",
        description: "Finds.",
        parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
      },
    ]);
  });

  it("takes a JSON Schema of the AI SDK", async () => {
    const find = { inputSchema: jsonSchema({ type: "object" }) };

    expect(await toToolDefinitions({ find })).toEqual([
      { name: "find", parameters: { type: "object" } },
    ]);
  });

  it("refuses an input schema that gives no JSON Schema, instead of counting it low", async () => {
    const tools: Parameters<typeof toToolDefinitions>[0] = JSON.parse(
      '{ "find": { "inputSchema": { "~standard": { "version": 1 } } } }',
    );

    await expect(toToolDefinitions(tools)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});

describe("toToolDefinitionsSync", () => {
  const schema = z.object({
    to: z.string().describe("Where to."),
    seats: z.number().int().default(1),
    classes: z.array(z.enum(["first", "second"])).optional(),
  });
  const json = { type: "object", properties: { to: { type: "string" } } } as const;

  it.each([
    ["a schema of zod", schema],
    ["a JSON Schema of the AI SDK", jsonSchema(json)],
    ["a schema of zod in the AI SDK's own", zodSchema(schema)],
    ["a lazy schema", () => jsonSchema(json)],
  ])("counts %s as toToolDefinitions does", async (_, inputSchema) => {
    const tools = { find: { description: "Finds flights.", inputSchema } } as ToolSet;
    const counter = tiktokenCounter({ model: "gpt-5" });

    const counted = counter.countRequest(toToolDefinitionsSync(tools));
    expect(counted).toBe(counter.countRequest(await toToolDefinitions(tools)));
    expect(counted).toBeGreaterThan(30);
  });

  it("counts a provider's own tool by its name, and the arguments that it is given", async () => {
    const tools: Parameters<typeof toToolDefinitions>[0] = JSON.parse(
      '{ "search": { "type": "provider", "id": "openai.web_search", "args": {} }, "near": { "type": "provider", "id": "openai.web_search", "args": { "city": "Rome" } } }',
    );

    const definitions = [{ name: "search" }, { name: "near", parameters: { city: "Rome" } }];
    expect(toToolDefinitionsSync(tools)).toEqual(definitions);
    expect(await toToolDefinitions(tools)).toEqual(definitions);
  });

  it("counts examples of inputs, and a description that a function gives", async () => {
    const find = {
      description: ({ context }: { readonly context: { readonly city?: string } }) =>
        `Finds flights to ${context.city ?? "anywhere"}.`,
      inputSchema: jsonSchema(json),
      inputExamples: [{ input: { to: "Rome" } }],
    };
    const tools = { find } as ToolSet;

    const definitions = [
      {
        name: "find",
        description: "Finds flights to anywhere.",
        parameters: { ...json, examples: [{ input: { to: "Rome" } }] },
      },
    ];
    expect(toToolDefinitionsSync(tools)).toEqual(definitions);
    expect(await toToolDefinitions(tools)).toEqual(definitions);
  });

  it.each([
    ["no record", "find"],
    ["a list", [{ inputSchema: jsonSchema(json) }]],
    ["a record of nothing", { find: null }],
    ["a tool of an unknown type", { find: { type: "later", inputSchema: jsonSchema(json) } }],
    ["a description of another shape", { find: { description: 5, inputSchema: json } }],
    [
      "a description that needs a context",
      {
        find: {
          description: (given: {
            readonly context: { readonly user: { readonly name: string } };
          }) => given.context.user.name,
          inputSchema: json,
        },
      },
    ],
  ])("refuses %s, instead of counting it low", async (_, tools) => {
    const refused = expect.objectContaining({
      code: "INVALID_OPTION",
      details: { option: "tools" },
    });

    expect(() => toToolDefinitionsSync(tools as never)).toThrow(refused);
    await expect(toToolDefinitions(tools as never)).rejects.toThrow(refused);
  });

  it.each([
    ["gives no JSON Schema", { "~standard": { version: 1, vendor: "odd", validate: () => ({}) } }],
    ["gives it later", { jsonSchema: Promise.resolve(json) }],
    ["is none", 5],
  ])("refuses an input schema that %s, instead of counting it low", (_, inputSchema) => {
    const tools = { find: { inputSchema } } as never;

    expect(() => toToolDefinitionsSync(tools)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", details: { option: "tools" } }),
    );
  });
});
