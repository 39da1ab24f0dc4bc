import { countOption } from "@agent-history/core";
import type { ActionEntry, EntryEdit, HistoryEntry, ObservationEntry } from "@agent-history/core";

import { textOf } from "../internal/text-of-entry.ts";
import type { ReductionItem, ReductionProposal, ReductionStep } from "../reduction-step.ts";

/** What {@link maskOldResults} masks, and what it leaves instead of it. */
export interface MaskOldResultsOptions {
  /** How many of the newest exchanges (a model's tool calls with their results) stay as they are. `0` none, `Infinity` all. Default 10. */
  readonly keep?: number | undefined;
  /** Tools whose results and arguments are never masked. Default: none. */
  readonly excludeTools?: readonly string[] | undefined;
  /** The line that is left of a result. Default: tool, first argument, length, and how to read it again. Must be a pure function. */
  readonly placeholder?: ((masked: MaskedResult) => string) | undefined;
  /** Also clears the arguments of masked calls. Default `false`. */
  readonly maskArguments?: boolean | undefined;
  /**
   * The tool by which the model reads a masked result again, named in the line; `recallTools` of `@agent-history/history-manager` brings it. `false`: the
   * model has none. Default `history_read`.
   */
  readonly readTool?: string | false | undefined;
}

/** A result that is to be masked. */
export interface MaskedResult {
  readonly result: ObservationEntry;
  /** The call that it answers. */
  readonly action: ActionEntry;
  /** What the result says, in UTF-16 code units. */
  readonly characters: number;
  /** Reads the result again, as the id that `history_read` takes. */
  readonly id: string;
}

/** A shorter result is no longer than its placeholder. */
const SHORTEST = 200;

/**
 * Makes the step that masks old tool results: all but those of the last exchanges become one line that says what was there, how long it was, and how to
 * read it again. The calls stay, and so does what the model said.
 *
 * It acts when the window is exceeded, oldest first, and stops at the low watermark: the prompt's prefix changes once, then not again until the
 * window is full. It reaches into the running turn, which is all that a coding agent's session may have. Add it before the other steps, or use
 * `maskingSteps`, which keep the last exchanges whole as long as anything else can go.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `keep` is not a non-negative integer or `Infinity`.
 */
export function maskOldResults(options: MaskOldResultsOptions = {}): ReductionStep {
  const keep = countOption("keep", options.keep ?? 10);
  const excluded = new Set(options.excludeTools);
  return {
    name: "mask-old-results",
    propose: ({ items, currentEntry }) => {
      const exchanges = olderExchanges(items, keep);
      return proposeMasks(exchanges, { ...options, excluded, currentEntry });
    },
  };
}

/** The exchanges before the newest `keep`, oldest first. */
export function olderExchanges(
  items: readonly ReductionItem[],
  keep: number,
): readonly ReductionItem[] {
  const exchanges = items.filter(({ entries: [first] }) => first?.type === "action");
  return exchanges.slice(0, Math.max(0, exchanges.length - keep));
}

interface Masking extends MaskOldResultsOptions {
  readonly excluded: ReadonlySet<string>;
  readonly currentEntry: (entry: HistoryEntry) => HistoryEntry;
}

function* proposeMasks(
  exchanges: readonly ReductionItem[],
  masking: Masking,
): Generator<ReductionProposal> {
  for (const { entries, isProtected } of exchanges) {
    // A pin stands for its whole exchange.
    if (isProtected) continue;
    const actions = entries.filter((entry) => entry.type === "action");
    for (const entry of entries) {
      const edit = editOf(entry, actions, masking);
      if (edit !== undefined)
        yield { kind: "edit", entry, edit, reason: "a result before the last calls" };
    }
  }
}

function editOf(
  entry: HistoryEntry,
  actions: readonly ActionEntry[],
  masking: Masking,
): EntryEdit | undefined {
  const { excluded, maskArguments = false } = masking;
  if (entry.type === "observation") {
    const clear = excluded.has(entry.toolName) ? undefined : maskOf(entry, actions, masking);
    return clear === undefined ? undefined : { clear };
  }
  if (!maskArguments || entry.type !== "action") return undefined;
  return entry.toolCalls.some(({ name }) => excluded.has(name))
    ? undefined
    : { clearArguments: true };
}

/** The line that stands for a result; nothing where it may stay, or is a line already. */
function maskOf(
  result: ObservationEntry,
  actions: readonly ActionEntry[],
  { placeholder, readTool = "history_read", currentEntry }: Masking,
): string | undefined {
  const current = currentEntry(result);
  if (
    current !== result &&
    current.type === "observation" &&
    textOf(current.content).length < SHORTEST
  )
    return undefined;
  const sources = result.sources ?? [];
  const characters = sources.reduce(
    (sum, { text }) => sum + text.length,
    textOf(result.content).length,
  );
  const action = actions.find(({ toolCalls }) => toolCalls.some(({ id }) => id === result.callId));
  if (action === undefined || (characters < SHORTEST && typeof result.content === "string"))
    return undefined;
  const id = result.origin?.derivedId === true ? result.callId : result.id;
  if (placeholder !== undefined) return placeholder({ result, action, characters, id });
  const call = action.toolCalls.find(({ id: callId }) => callId === result.callId);
  const what = `${onOneLine(result.toolName)}${firstArgument(call?.arguments ?? "")}`;
  const again =
    readTool === false
      ? "call the tool again to see it"
      : `${readTool} ${JSON.stringify({ id })} shows it`;
  return `[masked: result of ${what}, ${characters} characters; ${again}]`;
}

/** The first text among the arguments, as it most often names what was asked for. */
function firstArgument(given: string): string {
  const [, text] = /:\s*"((?:[^"\\]|\\.)*)"/u.exec(given.slice(0, 500)) ?? [];
  return text === undefined || text === "" ? "" : ` ${onOneLine(text)}`;
}

function onOneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}[\]]+/gu, " ").trim();
  return line.length <= 80 ? line : `${line.slice(0, 80).replace(/[\uD800-\uDBFF]$/u, "")}…`;
}
