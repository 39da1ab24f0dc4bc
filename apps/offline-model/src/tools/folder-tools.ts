import type { ToolCall, ToolDefinition } from "@agent-history/core";

import { failure } from "./define-tool.ts";
import { listFiles } from "./list-files.ts";
import { readPassage } from "./read-passage.ts";
import { searchText } from "./search-text.ts";
import type { Shelf } from "./shelf.ts";
import type { ToolResult } from "./tool.ts";

/** The tools of a turn. */
export interface Toolbox {
  readonly definitions: readonly ToolDefinition[];
  /** Runs a call; a tool that does not exist is a result with outcome `error`. */
  readonly call: (call: ToolCall) => ToolResult;
}

/** Makes the tools that look into a folder. */
export function folderTools(shelf: Shelf): Toolbox {
  const tools = [listFiles(shelf), searchText(shelf), readPassage(shelf)];
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  const names = [...byName.keys()].join(", ");
  return {
    definitions: tools.map(({ definition }) => definition),
    call: ({ name, arguments: argumentsJson }) =>
      byName.get(name)?.call(argumentsJson) ??
      failure(`Expected the name of a tool: ${names}. Call one of them.`),
  };
}
