import { countOption } from "@agent-history/core";
import type { JsonObject, ToolAnswer, ToolHandler } from "@agent-history/core";

import { expandSummary } from "./internal/recall-expand.ts";
import { readOriginal } from "./internal/recall-read.ts";
import { searchOriginals } from "./internal/recall-search.ts";
import { truncateToTokens } from "./internal/truncate-to-tokens.ts";
import type { RecallToolOptions } from "./recall-tool-options.ts";

/**
 * Makes the tools by which a model looks back at the originals of a thread: what was masked, dropped or summarized. `search` finds entries by words,
 * `read` gives one whole, piece by piece, `expand` lists what a summary stands for and changes nothing.
 *
 * An answer has at most `maxTokens`. It holds only what `filter` shows. What it quotes is data: each line after `> `, under the mark of a source, whose
 * number means the same entry permanently, in each process. Each call reads the view from the store, so that erased entries are gone; it costs time linear in it.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `maxTokens` is not a non-negative integer or `Infinity`. A call throws what the store, filter,
 *   scorer and counter throw.
 *
 * @example
 * ```ts
 * import { observation } from "@agent-history/core";
 * import { memoryStore } from "@agent-history/store-kit";
 * import { recallTools } from "@agent-history/history-manager";
 *
 * const store = memoryStore();
 * const content = "HAT266 leaves at 9:40.\nHAT229 leaves at noon.";
 * await store.append("chat-1", [
 *   observation({ id: "r1", createdAtMs: 0, callId: "c1", toolName: "flights", outcome: "success", content }),
 * ]);
 * const counter = { countText: (text: string) => Math.ceil(text.length / 4) };
 * const [search] = recallTools({ store, threadId: "chat-1", counter });
 * const answer = await search?.run({ query: "HAT229" });
 * answer?.content.split("\n");
 * // => ['[source1000001] result of flights, 1970-01-01 00:00, whole, id "r1"', "> HAT266 leaves at 9:40.", "> HAT229 leaves at noon."]
 * ```
 */
export function recallTools(options: RecallToolOptions): readonly ToolHandler[] {
  const { prefix = "history" } = options;
  const maxTokens = countOption("maxTokens", options.maxTokens ?? 1500);
  const names = ["search", "read", "expand"].map((verb) => `${prefix}_${verb}`);
  const reading = { ...options, maxTokens, toolNames: new Set(names) };
  const bounded = async (answer: ToolAnswer): Promise<ToolAnswer> => {
    const content = await truncateToTokens(answer.content, maxTokens, options.counter);
    return content === answer.content ? answer : { ...answer, content };
  };
  return [
    handler({
      name: `${prefix}_search`,
      description:
        "Search earlier messages, tool calls and tool results of this conversation, also those no longer shown. Returns excerpts with ids.",
      fields: { query: { ...TEXT, description: "Words to look for" }, limit: LIMIT },
      required: ["query"],
      run: ({ query = "", limit }, signal) => searchOriginals(reading, { query, limit }, signal),
      bounded,
    }),
    handler({
      name: `${prefix}_read`,
      description:
        "Read one earlier message, tool call or tool result of this conversation in full, by its id. Long ones come in pieces: pass `from`.",
      fields: {
        id: { ...TEXT, description: "An id as a result, a placeholder or a source mark gives it" },
        from: { ...COUNT, description: "First character to read, default 0" },
      },
      required: ["id"],
      run: ({ id = "", from }, signal) => readOriginal(reading, { id, from }, signal),
      bounded,
    }),
    handler({
      name: `${prefix}_expand`,
      description:
        "List what a summary of this conversation stands for, with the id of each entry. Without `id`: the newest summary.",
      fields: {
        id: { ...TEXT, description: "The id of the summary" },
        from: { ...COUNT, description: "How many entries to skip, default 0" },
      },
      required: [],
      run: ({ id, from }, signal) => expandSummary(reading, { id, from }, signal),
      bounded,
    }),
  ];
}

const TEXT = { type: "string", minLength: 1 } as const;
const COUNT = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const LIMIT = {
  description: "Most results, default 5",
  type: "integer",
  minimum: 1,
  maximum: 20,
} as const;

/** What a model may pass to the tools. */
interface RecallArguments {
  readonly query?: string;
  readonly id?: string;
  readonly from?: number;
  readonly limit?: number;
}

type Field = (typeof TEXT | typeof COUNT | typeof LIMIT) & { readonly description: string };

interface HandlerParts {
  readonly name: string;
  readonly description: string;
  readonly fields: { readonly [Name in keyof RecallArguments]?: Field };
  readonly required: readonly (keyof RecallArguments)[];
  readonly run: (input: RecallArguments, signal: AbortSignal | undefined) => Promise<ToolAnswer>;
  readonly bounded: (answer: ToolAnswer) => Promise<ToolAnswer>;
}

function handler({ name, description, fields, required, run, bounded }: HandlerParts): ToolHandler {
  const parameters: JsonObject = {
    type: "object",
    properties: { ...fields },
    ...(required.length > 0 && { required: [...required] }),
    additionalProperties: false,
  };
  return {
    name,
    description,
    parameters: structuredClone(parameters),
    run: async (given, { signal } = {}) => {
      const read = readArguments(valueOf(given), fields, required);
      if (typeof read !== "string") return bounded(await run(read, signal));
      return bounded({ outcome: "error", content: `${name}: ${read}`, sources: [] });
    },
  };
}

/** Reads arguments, or says in words for the model what is wrong with them. */
function readArguments(
  given: unknown,
  fields: HandlerParts["fields"],
  required: HandlerParts["required"],
): RecallArguments | string {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return `the arguments cannot be used. Expected an object; got ${kindOf(given)}.`;
  }
  try {
    const schemas = new Map<string, Field>(Object.entries(fields));
    const other = Object.keys(given).find((name) => !schemas.has(name));
    if (other !== undefined) return "there is a field that the tool does not take.";
    const values = new Map<string, unknown>();
    for (const [name, schema] of schemas) {
      const value: unknown = Reflect.get(given, name);
      // SDKs parse arguments first, and may pass on what is left out as `undefined`.
      if (value === undefined) continue;
      const problem = problemOf(value, schema);
      if (problem !== undefined) {
        return `\`${name}\` cannot be used. ${problem}; got ${kindOf(value)}.`;
      }
      values.set(name, value);
    }
    const missing = required.find((name) => !values.has(name));
    return missing === undefined ? Object.fromEntries(values) : `\`${missing}\` is missing.`;
  } catch {
    return "the arguments cannot be read.";
  }
}

function problemOf(value: unknown, schema: Field): string | undefined {
  if (schema.type === "string") {
    return typeof value === "string" && value !== "" ? undefined : "Expected a text";
  }
  const { minimum, maximum } = schema;
  const isWithin =
    typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum;
  const range =
    maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `of ${minimum} to ${maximum}`;
  return isWithin ? undefined : `Expected an integer ${range}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}

/** Models write arguments as JSON text; some SDKs parse it first. No arguments are an empty object. */
function valueOf(given: unknown): unknown {
  if (given === undefined || given === "") return {};
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
