import { HistoryError } from "@agent-history/core";
import type { ToolDefinition } from "@agent-history/core";

/** As deep as a schema may be. */
const MAX_DEPTH = 256;

/** Refuses tools of another shape: counted as nothing, they would make a request overflow. */
export function requireTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  if (!Array.isArray(tools)) throw invalid();
  for (const tool of tools) {
    const { name, description, parameters }: Readonly<Record<string, unknown>> = { ...tool };
    const isTool =
      typeof name === "string" &&
      name !== "" &&
      (description === undefined || typeof description === "string") &&
      (parameters === undefined || isSchema(parameters));
    if (!isTool) throw invalid();
  }
  return tools;
}

function isSchema(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !("~standard" in value) && isJson(value, MAX_DEPTH);
}

function isJson(value: unknown, levels: number): boolean {
  if (typeof value === "function" || typeof value === "bigint") return false;
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((field) => isJson(field, levels - 1));
}

function invalid(): HistoryError {
  return new HistoryError(
    `Expected each of \`tools\` to be { name, description?, parameters? }, with a JSON Schema of at most ${MAX_DEPTH} levels: toToolDefinitions of your format gives them.`,
    { code: "INVALID_OPTION", details: { option: "tools" } },
  );
}
