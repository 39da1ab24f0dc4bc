import { jsonSchema } from "ai";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { toToolDefinitions } from "./to-tool-definitions.ts";

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
