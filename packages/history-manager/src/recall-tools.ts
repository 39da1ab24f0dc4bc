import { countOption } from "@agent-history/core";
import type { ToolAnswer, ToolHandler } from "@agent-history/core";
import { checkValue } from "@agent-history/core/schema";

import { expandSummary } from "./internal/recall-expand.ts";
import { expandInput, readInput, searchInput } from "./internal/recall-inputs.ts";
import type { RecallInput } from "./internal/recall-inputs.ts";
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
      input: searchInput,
      run: (input, signal) => searchOriginals(reading, input, signal),
      bounded,
    }),
    handler({
      name: `${prefix}_read`,
      description:
        "Read one earlier message, tool call or tool result of this conversation in full, by its id. Long ones come in pieces: pass `from`.",
      input: readInput,
      run: (input, signal) => readOriginal(reading, input, signal),
      bounded,
    }),
    handler({
      name: `${prefix}_expand`,
      description:
        "List what a summary of this conversation stands for, with the id of each entry. Without `id`: the newest summary.",
      input: expandInput,
      run: (input, signal) => expandSummary(reading, input, signal),
      bounded,
    }),
  ];
}

interface HandlerParts<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: RecallInput<Input>;
  readonly run: (input: Input, signal: AbortSignal | undefined) => Promise<ToolAnswer>;
  readonly bounded: (answer: ToolAnswer) => Promise<ToolAnswer>;
}

function handler<Input>(parts: HandlerParts<Input>): ToolHandler {
  const { name, description, input, run, bounded } = parts;
  return {
    name,
    description,
    parameters: input.parameters(),
    run: async (given, { signal } = {}) => {
      const read = readArguments(input, valueOf(given));
      if ("value" in read) return bounded(await run(read.value, signal));
      const content = `${name}: ${read.problem}`;
      return bounded({ outcome: "error", content, sources: [] });
    },
  };
}

/** Reads arguments, or says in words for the model what is wrong with them. */
function readArguments<Input>(
  { check }: RecallInput<Input>,
  given: unknown,
): { readonly value: Input } | { readonly problem: string } {
  try {
    const read = checkValue(check, given);
    if ("value" in read) return read;
    const { path, message, received } = read.refusal;
    const location = path === "" ? "the arguments" : `\`${path}\``;
    return { problem: `${location} cannot be used. ${message}; got ${received}.` };
  } catch {
    return { problem: "the arguments cannot be read." };
  }
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
