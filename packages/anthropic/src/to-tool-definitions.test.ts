import { describe, expect, it } from "vitest";

import { toToolDefinitions } from "./index.ts";

const input_schema = { type: "object", properties: { to: { type: "string" } } };

describe("toToolDefinitions", () => {
  it("gives name, description and schema of one's own tools, and counts examples with it", () => {
    const tool = { name: "find", description: "Finds flights.", input_schema };

    expect(toToolDefinitions([tool, { ...tool, type: "custom" }, { ...tool, type: null }])).toEqual(
      Array.from({ length: 3 }, () => ({
        name: "find",
        description: "Finds flights.",
        parameters: input_schema,
      })),
    );
    const input_examples = [{ to: "Rome" }];
    expect(toToolDefinitions([{ name: "find", input_schema, input_examples } as object])).toEqual([
      { name: "find", parameters: { ...input_schema, examples: input_examples } },
    ]);
  });

  it("takes a schema of a library, and a tool that can run", () => {
    const tool = {
      name: "find",
      input_schema: { toJSONSchema: () => input_schema },
      run: () => "",
    };

    expect(toToolDefinitions([tool])).toEqual([{ name: "find", parameters: input_schema }]);
  });

  it("counts the options of Anthropic's own tools and the listed tools of a server, and no breakpoint", () => {
    const cache_control = { type: "ephemeral" };
    const search = { type: "web_search_20250305", name: "web_search", max_uses: 3, cache_control };
    const tools = [{ name: "echo", input_schema }];
    const server = { type: "mcp_toolset", mcp_server_name: "files", tools };
    const bash = { type: "bash_20250124", name: "bash" };

    expect(toToolDefinitions([search, server, bash])).toEqual([
      { name: "web_search", parameters: { max_uses: 3 } },
      { name: "files", parameters: { tools } },
      { name: "bash" },
    ]);
  });

  it.each([
    [[{ name: "find" }]],
    [[{ input_schema }]],
    [[{ type: "function", function: { name: "find" } }]],
    [[{ type: "", name: "find" }]],
    [[{ name: "find", input_schema: "object" }]],
    [[null]],
    ["find"],
  ])("refuses %j, which would count low", (tools: unknown) => {
    const convert = (): unknown => toToolDefinitions(tools as never);
    expect(convert).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
  });
});
