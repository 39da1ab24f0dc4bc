import { describe, expect, it } from "vitest";

import { GARDEN_FILES } from "../../test-support/garden-files.ts";
import { searchIndex } from "../search/search-index.ts";
import { folderTools } from "./folder-tools.ts";
import type { Toolbox } from "./folder-tools.ts";
import type { ToolResult } from "./tool.ts";

describe("folderTools", () => {
  it("describes each tool by a JSON schema", () => {
    const read = tools().definitions.find(({ name }) => name === "read_passage");

    expect(tools().definitions.map(({ name }) => name)).toEqual([
      "list_files",
      "search_text",
      "read_passage",
    ]);
    expect(read?.parameters).toMatchObject({
      type: "object",
      required: ["path"],
      additionalProperties: false,
      properties: { path: { type: "string" }, startLine: { type: "integer", minimum: 1 } },
    });
    expect(read?.parameters).not.toHaveProperty("$schema");
  });

  it.each([
    ["list_files", "{"],
    ["list_files", "[]"],
    ["list_files", "null"],
    ["list_files", '{"folder": 1}'],
    ["search_text", "{}"],
    ["search_text", '{"query": ""}'],
    ["search_text", '{"query": "x", "kind": "novel"}'],
    ["search_text", '{"query": "x", "maxPassages": 0}'],
    ["read_passage", '{"path": "README.md", "startLine": 0}'],
    ["read_passage", '{"path": "README.md", "startLine": 1.5}'],
    ["read_passage", '{"path": "README.md", "startLine": 9, "endLine": 8}'],
    ["read_passage", '{"path": "README.md", "line": 1}'],
    ["read_passage", '{"path": "README.md", "startLine": 999}'],
    ["read_passage", '{"path": "../README.md"}'],
    ["read_passage", '{"path": "__proto__"}'],
    ["delete_file", "{}"],
    ["toString", "{}"],
  ])("answers a wrong call of %s with %s by an error", (name, argumentsJson) => {
    const result = call(tools(), name, argumentsJson);

    expect(result).toEqual({ outcome: "error", error: expect.stringMatching(/./) });
  });

  it("says which argument is wrong, and what was expected", () => {
    expect(call(tools(), "search_text", '{"query": 7}')).toMatchObject({
      error:
        "Wrong arguments of search_text. query: Invalid input: expected string, received number",
    });
  });

  it("lists files by folder and by name", () => {
    expect(found("list_files", '{"folder": "./notes/"}').content).toBe(
      "2 files\nnotes/tomatoes.md (9 lines)\nnotes/compost.md (5 lines)",
    );
    expect(found("list_files", '{"nameContains": "VALVE"}').content).toContain(
      "src/valve_controller.py",
    );
  });

  it("finds passages whose lines bear their numbers, and leaves numbering sources to the thread", () => {
    const result = found("search_text", '{"query": "rain valve shut", "kind": "code"}');

    expect(result.sources?.[0]).toEqual({
      id: expect.stringMatching(/^src\/valve_controller\.py#L6-L14@[0-9a-f]{12}$/),
      uri: "src/valve_controller.py#L6-L14",
      title: "choose_valve_duration",
      text: expect.stringContaining("\n9|     Dry soil gets four minutes."),
    });
    expect(result.content).toContain("each word stem stands in: rain 1, valv 3, shut 1.");
  });

  it("gives the same lines the same id, whichever tool finds them", () => {
    const searched = found("search_text", '{"query": "rain valve shut", "kind": "code"}');
    const read = found(
      "read_passage",
      '{"path": "./src/valve_controller.py", "startLine": 9, "endLine": 9}',
    );

    expect(read.sources).toEqual([searched.sources?.[0]]);
    expect(read.content).toBe("src/valve_controller.py, lines 9 to 9 of 15.");
  });

  it("shows nothing of a file that repeats the question", () => {
    const box = tools(new Set(["notes/compost.md"]));

    expect(found("search_text", '{"query": "compost heap smell"}', box).sources).toEqual([]);
    expect(found("list_files", '{"folder": "notes"}', box).content).not.toContain("compost");
    expect(call(box, "read_passage", '{"path": "notes/compost.md"}')).toMatchObject({
      outcome: "error",
      error: expect.stringContaining("repeats the question"),
    });
  });
});

function tools(barred: ReadonlySet<string> = new Set()): Toolbox {
  const documents = Object.entries(GARDEN_FILES).map(([path, text]) => ({
    path,
    lines: text.split("\n"),
  }));
  return folderTools({ documents, index: searchIndex(documents), barred });
}

function call(box: Toolbox, name: string, argumentsJson: string): ToolResult {
  return box.call({ id: "c1", name, arguments: argumentsJson });
}

/** Calls a tool that is to find something. */
function found(
  name: string,
  argumentsJson: string,
  box = tools(),
): Extract<ToolResult, { readonly outcome: "success" }> {
  const result = call(box, name, argumentsJson);
  if (result.outcome === "error") throw new Error(result.error);
  return result;
}
