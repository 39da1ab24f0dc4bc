import type { ToolDefinition } from "@agent-history/core";

import type { ModelRequestLike } from "../middleware.ts";
import { toToolDefinitions } from "../to-tool-definitions.ts";

/** Returns what a request sends beside its messages, as a token counter takes it: its tools, and the schema of a structured answer. */
export type ReadTools = (request: ModelRequestLike) => Promise<readonly ToolDefinition[]>;

/** Remembers what the newest tools of each model are, so that schemas are converted once. */
export function toolReader(): ReadTools {
  const known = new WeakMap<object, Known>();
  return async ({ model, tools = [], responseFormat }) => {
    const key = isObject(model) ? model : tools;
    const asked = [...tools, responseFormat];
    const before = known.get(key);
    if (before !== undefined && areSame(before.asked, asked)) return before.definitions;
    const bound = (await boundTools(model, tools)) ?? tools.filter(isObject);
    const definitions = toToolDefinitions([...bound, ...formatsOf(responseFormat)]);
    known.set(key, { asked, definitions });
    return definitions;
  };
}

interface Known {
  readonly asked: readonly unknown[];
  readonly definitions: readonly ToolDefinition[];
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((tool, index) => tool === other[index]);
}

/** Lets the model's class convert the tools, which knows what it will send. It gives them with what it binds them to. */
async function boundTools(
  model: unknown,
  tools: readonly unknown[],
): Promise<readonly object[] | undefined> {
  if (!isObject(model) || !("bindTools" in model) || typeof model.bindTools !== "function") {
    return undefined;
  }
  try {
    const bound: unknown = await model.bindTools(tools);
    for (const holder of ["config", "kwargs", "defaultOptions"]) {
      const converted = fieldOf(fieldOf(bound, holder), "tools");
      const isWhole = Array.isArray(converted) && converted.every(isObject);
      if (isWhole && converted.length > 0) return converted;
    }
  } catch {
    // A model that takes no tools says so when it is called.
  }
  return undefined;
}

/** A structured answer is asked for by its schema, or as a tool that has it. */
function formatsOf(format: unknown): readonly object[] {
  if (Array.isArray(format)) return format.flatMap((one) => formatsOf(one));
  if (!isObject(format)) return [];
  const schema = fieldOf(format, "schema");
  const name = fieldOf(format, "name");
  return [
    { name: typeof name === "string" && name !== "" ? name : "response", schema: schema ?? format },
  ];
}

function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
