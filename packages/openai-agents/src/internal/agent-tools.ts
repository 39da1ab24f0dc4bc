import type { ToolDefinition } from "@agent-history/core";
import { toJson, toolParameters } from "@agent-history/format-kit";
import { toToolDefinitions } from "@agent-history/openai";
import type { OpenAITool } from "@agent-history/openai";

const known = new WeakMap<object, readonly ToolDefinition[]>();

/**
 * Returns what the SDK sends beside a request's items: the agent's tools (those of MCP servers too), its handoffs and the schema of its output. Each is converted once.
 *
 * @param context - The run's context: enabling functions of tools are called with it, as the SDK does.
 */
export async function agentTools(
  agent: unknown,
  context: unknown,
): Promise<readonly ToolDefinition[]> {
  const runContext = { context };
  const tools = (await called(agent, "getAllTools", runContext)) ?? fieldOf(agent, "tools");
  const handoffs = await called(agent, "getEnabledHandoffs", runContext);
  const sent = [...objectsIn(tools), ...objectsIn(handoffs)];
  return [...sent.flatMap(definitionsOf), ...outputOf(fieldOf(agent, "outputType"))];
}

function definitionsOf(tool: object): readonly ToolDefinition[] {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const definitions = toToolDefinitions([sentAs(tool)]);
  known.set(tool, definitions);
  return definitions;
}

/** A tool as it is sent: what stands beside that in the SDK's objects only runs it. */
function sentAs(tool: object): OpenAITool & Readonly<Record<string, unknown>> {
  const of = (key: string): unknown => fieldOf(tool, key);
  const type = of("type");
  const parameters = of("parameters");
  if (type === undefined) {
    const named = { name: of("toolName"), description: of("toolDescription") };
    return { type: "function", ...named, parameters: of("inputJsonSchema") };
  }
  const named = { name: of("name"), description: of("description") };
  if (type === "function") return { type: "function", ...named, parameters };
  const { type: own = type, ...options } = Object(toJson(of("providerData")));
  const about = { environment: of("environment"), dimensions: of("dimensions") };
  return { ...named, ...about, ...options, type: String(own) };
}

/** The schema of a structured answer: the SDK's own form, or a schema such as zod's. */
function outputOf(outputType: unknown): readonly ToolDefinition[] {
  if (!isObject(outputType)) return [];
  const name = fieldOf(outputType, "name");
  const schema =
    fieldOf(outputType, "type") === "json_schema" ? fieldOf(outputType, "schema") : outputType;
  const parameters = toolParameters(schema, "outputType");
  const named = { name: typeof name === "string" && name !== "" ? name : "output" };
  return [{ ...named, ...(parameters !== undefined && { parameters }) }];
}

async function called(agent: unknown, method: string, context: object): Promise<unknown> {
  const work = fieldOf(agent, method);
  return typeof work === "function" ? Reflect.apply(work, agent, [context]) : undefined;
}

function objectsIn(list: unknown): readonly object[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
