import { contentText, countOption } from "@agent-history/core";
import type { ActionEntry, EntryEdit, ObservationEntry } from "@agent-history/core";

import type {
  ReductionMember,
  ReductionProposal,
  ReductionStep,
  ReductionUnit,
} from "./reduction-step.ts";

/** Options of {@link maskOldResults}. */
export interface MaskOldResultsOptions {
  /** How many of the newest exchanges (tool calls with their results) stay unchanged. `0` none, `Infinity` all. Default 10. */
  readonly keep?: number | undefined;
  /** Tools whose results and arguments are never masked. Default: none. */
  readonly excludeTools?: readonly string[] | undefined;
  /** Returns the line that replaces a result. Default: tool, first argument, length, and how to read it again. Must be a pure function. */
  readonly placeholder?: ((masked: MaskedResult) => string) | undefined;
  /** Also clears the arguments of masked calls. Default `false`. */
  readonly maskArguments?: boolean | undefined;
  /**
   * The tool with which the model can read a masked result again, named in the line; `recallTools` of `@agent-history/history-manager` provides it. `false`: the
   * model has no such tool. Default `history_read`.
   */
  readonly readTool?: string | false | undefined;
}

/** A result to mask. */
export interface MaskedResult {
  readonly result: ObservationEntry;
  /** The action that contains its call. */
  readonly action: ActionEntry;
  /** Length of the result, sources included, in UTF-16 code units. */
  readonly characters: number;
  /** The id that `history_read` takes to read the result again. */
  readonly id: string;
}

/** Shorter results are not masked: they are no longer than their placeholder. */
const SHORTEST = 200;

/**
 * Creates a step for coding agents and other long tool loops. It replaces each tool result before the last exchanges by one line with the tool, the length,
 * and how to read the result again. Tool calls and the model's text stay.
 *
 * It acts when the window is full, oldest first, down to the low watermark, also in the running turn. If that is not enough, exchanges before the last ones are
 * dropped, oldest first. The last `keep` exchanges stay whole; only if they alone exceed the window do the built-in steps reduce them.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `keep` is not a non-negative integer or `Infinity`.
 *
 * @example
 * ```ts
 * import { action, observation, userMessage } from "@agent-history/core";
 * import { fitToWindow, maskOldResults } from "@agent-history/reducer";
 *
 * const at = { createdAtMs: 0 };
 * const entries = [
 *   userMessage({ ...at, id: "q", content: "Fix the rounding." }),
 *   ...["a.ts", "b.ts", "c.ts"].flatMap((path) => [
 *     action({ ...at, id: `call ${path}`, toolCalls: [{ id: path, name: "read_file", arguments: JSON.stringify({ path }) }] }),
 *     observation({ ...at, id: path, callId: path, toolName: "read_file", outcome: "success", content: "x = 1; ".repeat(100) }),
 *   ]),
 * ];
 * const counter = {
 *   id: "characters",
 *   countText: (text: string) => text.length,
 *   countEntry: ({ content }: { content?: unknown }) => String(content ?? "").length,
 *   countRequest: () => 0,
 * };
 * const steps = [maskOldResults({ keep: 1 })];
 * const fitted = fitToWindow(entries, { window: { contextTokens: 1000 }, counter, steps });
 * fitted.entries[2]?.content;
 * // => '[masked: result of read_file a.ts, 700 characters; history_read {"id":"a.ts"} shows it]'
 * ```
 */
export function maskOldResults(options: MaskOldResultsOptions = {}): ReductionStep {
  const { maskArguments = false } = options;
  const keep = countOption("keep", options.keep ?? 10);
  const excluded = new Set(options.excludeTools);
  const reason = "a result before the last calls";

  /** Returns the edit that masks an entry; `undefined` if it stays or is already masked. */
  function editOf(
    { entry, current }: ReductionMember,
    actions: readonly ActionEntry[],
  ): EntryEdit | undefined {
    if (entry.type === "action") {
      const isMasked = maskArguments && !entry.toolCalls.some(({ name }) => excluded.has(name));
      return isMasked ? { clearArguments: true } : undefined;
    }
    if (entry.type !== "observation" || excluded.has(entry.toolName)) return undefined;
    const isShort = current !== entry && contentText(current.content).length < SHORTEST;
    const clear = isShort ? undefined : lineFor(entry, actions, options);
    return clear === undefined ? undefined : { clear };
  }

  return {
    name: "mask-old-results",
    propose: (units) => {
      const exchanges = units.filter(isExchange);
      const older = exchanges.slice(0, Math.max(0, exchanges.length - keep));
      // A pinned entry protects its whole exchange.
      const free = older.filter(({ isProtected }) => !isProtected);
      return free.flatMap(({ entries, members }) => {
        const actions = entries.filter((entry) => entry.type === "action");
        return members.flatMap((member): ReductionProposal | [] => {
          const edit = editOf(member, actions);
          return edit === undefined ? [] : { kind: "edit", entry: member.entry, edit, reason };
        });
      });
    },
    spare: (units) => (keep === 0 ? [] : units.filter(isExchange).slice(-keep)),
  };
}

function isExchange({ entries: [first] }: ReductionUnit): boolean {
  return first?.type === "action";
}

/** Returns the line that replaces a result; `undefined` if the result stays. */
function lineFor(
  result: ObservationEntry,
  actions: readonly ActionEntry[],
  { placeholder, readTool = "history_read" }: MaskOldResultsOptions,
): string | undefined {
  const texts = [contentText(result.content), ...(result.sources ?? []).map(({ text }) => text)];
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  const isCall = ({ id }: { readonly id: string }): boolean => id === result.callId;
  const action = actions.find(({ toolCalls }) => toolCalls.some(isCall));
  const isText =
    typeof result.content === "string" || result.content.every(({ type }) => type === "text");
  const isShort = characters < SHORTEST && isText;
  if (action === undefined || isShort) return undefined;
  const id = result.origin?.derivedId === true ? result.callId : result.id;
  if (placeholder !== undefined) return placeholder({ result, action, characters, id });
  const argument = firstArgument(action.toolCalls.find(isCall)?.arguments ?? "");
  const again =
    readTool === false
      ? "call the tool again to see it"
      : `${readTool} ${JSON.stringify({ id })} shows it`;
  return `[masked: result of ${onOneLine(result.toolName)}${argument}, ${characters} characters; ${again}]`;
}

/** Returns the first string argument, which usually names the subject of the call. */
function firstArgument(given: string): string {
  const [, text] = /:\s*"((?:[^"\\]|\\.)*)"/u.exec(given.slice(0, 500)) ?? [];
  return text === undefined || text === "" ? "" : ` ${onOneLine(text)}`;
}

function onOneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}[\]]+/gu, " ").trim();
  return line.length <= 80 ? line : `${line.slice(0, 80).replace(/[\uD800-\uDBFF]$/u, "")}…`;
}
