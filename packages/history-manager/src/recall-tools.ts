import { countOption, isObject } from "@agent-history/core";
import type {
  AsyncTokenCounter,
  FilterContext,
  HistoryFilter,
  HistoryStore,
  RelevanceScorer,
  TokenCounter,
  ToolAnswer,
  ToolHandler,
} from "@agent-history/core";

import { readOriginal, refusal, searchOriginals } from "./internal/recall-originals.ts";
import type { Recalling } from "./internal/recall-originals.ts";
import { truncateToTokens } from "./internal/recall-quote.ts";

/** Limits and ranking of the recall tools. */
export interface RecallToolLimits {
  /** The most tokens of one answer. Default 1,500. */
  readonly maxTokens?: number | undefined;
  /** Ranks originals for `search`. Default: by the words of the query, rare ones first. */
  readonly scorer?: RelevanceScorer | undefined;
  /** Prefix of the tools' names. Default `history`: `history_search`, `history_read`. */
  readonly prefix?: string | undefined;
}

/** The thread that the tools read, and their counter. */
export interface RecallToolOptions extends RecallToolLimits {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly counter: Pick<TokenCounter | AsyncTokenCounter, "countText">;
  /** Decides what may be read: the filter that builds the agent's prompts. Default: the whole thread. */
  readonly filter?: HistoryFilter | undefined;
  /** The agent and its scope, for `filter`. Default: none. */
  readonly context?: FilterContext | undefined;
}

/**
 * Creates tools with which a model reads the originals of a thread: entries that were masked, dropped or summarized. `search` finds entries by words,
 * `read` returns one in full, in pieces.
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
 * // => ['[source1] result of flights, 1970-01-01 00:00, whole, id "r1"', "> HAT266 leaves at 9:40.", "> HAT229 leaves at noon."]
 * ```
 */
export function recallTools(options: RecallToolOptions): readonly ToolHandler[] {
  const { prefix = "history" } = options;
  const maxTokens = countOption("maxTokens", options.maxTokens ?? 1500);
  const toolNames = new Set(["search", "read"].map((verb) => `${prefix}_${verb}`));
  const reading = { ...options, prefix, maxTokens, toolNames };
  return [
    handlerOf(reading, {
      verb: "search",
      description:
        "Search earlier messages, tool calls and tool results of this conversation, also those no longer shown. Returns excerpts with ids.",
      fields: {
        query: { ...TEXT, description: "Words to look for", isRequired: true },
        limit: { ...COUNT, description: "Most results, default 5", minimum: 1, maximum: 20 },
      },
      run: async ({ query = "", limit = 5 }, signal) =>
        searchOriginals(reading, { query, limit }, signal),
    }),
    handlerOf(reading, {
      verb: "read",
      description:
        "Read one earlier message, tool call or tool result of this conversation in full, by its id. Long ones come in pieces: pass `from`.",
      fields: {
        id: {
          ...TEXT,
          description: "An id as a result, a placeholder or a source mark gives it",
          isRequired: true,
        },
        from: { ...COUNT, description: "First character to read, default 0" },
      },
      run: async ({ id = "", from = 0 }, signal) => readOriginal(reading, { id, from }, signal),
    }),
  ];
}

function handlerOf(
  { prefix, maxTokens, counter }: Recalling & { readonly prefix: string },
  { verb, description, fields, run }: RecallTool,
): ToolHandler {
  const name = `${prefix}_${verb}`;
  const required = Object.keys(fields).filter((field) => fields[field]?.isRequired);
  const properties = Object.entries(fields).map(([field, { isRequired: _, ...schema }]) => {
    return [field, schema] as const;
  });
  return {
    name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    run: async (given, { signal } = {}) => {
      const input = readArguments(given, fields);
      const answer =
        typeof input === "string" ? refusal(`${name}: ${input}`) : await run(input, signal);
      const content = await truncateToTokens(answer.content, maxTokens, counter);
      return content === answer.content ? answer : { ...answer, content };
    },
  };
}

interface RecallTool {
  readonly verb: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly run: (input: RecallArguments, signal: AbortSignal | undefined) => Promise<ToolAnswer>;
}

type Field = (typeof TEXT | typeof COUNT) & {
  readonly description: string;
  readonly isRequired?: true;
};

const TEXT = { type: "string", minLength: 1 } as const;
const COUNT: { readonly type: "integer"; readonly minimum: number; readonly maximum: number } = {
  type: "integer",
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
};

/** What a model may pass to the tools. */
interface RecallArguments {
  readonly query?: string;
  readonly id?: string;
  readonly from?: number;
  readonly limit?: number;
}

/** Parses arguments, or describes the problem for the model. */
function readArguments(given: unknown, fields: RecallTool["fields"]): RecallArguments | string {
  try {
    // Models write JSON text; some SDKs parse it first. Missing arguments count as an empty object.
    const input: unknown = typeof given === "string" && given !== "" ? JSON.parse(given) : given;
    const values = input === undefined || input === "" ? {} : input;
    if (!isObject(values)) return "expected the arguments to be an object.";
    const other = Object.keys(values).find((name) => !Object.hasOwn(fields, name));
    if (other !== undefined) return "there is a field that the tool does not take.";
    const read: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(fields)) {
      const value = values[name];
      if (value === undefined && field.isRequired) return `\`${name}\` is missing.`;
      if (value === undefined) continue;
      if (!isOf(field, value)) return `\`${name}\` cannot be used. Expected ${expectedOf(field)}.`;
      read[name] = value;
    }
    return read;
  } catch {
    return "the arguments cannot be read.";
  }
}

function isOf(field: Field, value: unknown): boolean {
  if (field.type === "string") return typeof value === "string" && value !== "";
  const { minimum, maximum } = field;
  return (
    typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum
  );
}

function expectedOf(field: Field): string {
  if (field.type === "string") return "a text";
  const { minimum, maximum } = field;
  return maximum === Number.MAX_SAFE_INTEGER
    ? `an integer from ${minimum}`
    : `an integer of ${minimum} to ${maximum}`;
}
