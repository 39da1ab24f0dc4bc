import { contentText, countOption, overReadable } from "@agent-history/core";
import type {
  FilterContext,
  HistoryEntry,
  ObservationEntry,
  SynthesisEntry,
} from "@agent-history/core";

import { newestWork } from "./internal/current-work.ts";
import { resultSaysComplete, saysComplete, wordsOf } from "./internal/says-complete.ts";

/** Options of {@link completionDetector}. */
export interface CompletionDetectorOptions {
  /** How many of the newest entries are checked. `0` none, `Infinity` all. Default 10. */
  readonly depth?: number | undefined;
  /** Tools that signal completion when called. Default `["complete_task"]`. */
  readonly completionTools?: readonly string[] | undefined;
  /** Phrases that signal completion, matched as whole words. Default {@link COMPLETION_PHRASES}; `[]` turns them off. */
  readonly phrases?: readonly string[] | undefined;
  /**
   * The maximum length of a text that is searched for phrases, in characters: a status line is short, and the word "done" in a
   * document is no signal. Default 280.
   */
  readonly maxStatusLength?: number | undefined;
}

/** The agent and scope to check. */
export interface CompletionContext extends FilterContext {
  /**
   * The result of the agent's last step, if it is not in the history: an object with `completed: true`,
   * `responseValidation.complete: true` or a phrase in its `message`, `summary` or `finalResult`, or a text with a phrase.
   */
  readonly result?: unknown;
}

/** The evidence that an agent is done. */
export interface CompletionSignal {
  /**
   * The `result` of the context; a `final`; a `synthesis` by a manager, or one of its phase without an agent; an
   * observation marked completed; a call of a completion tool; a phrase in a status line.
   */
  readonly kind: "result" | "final" | "synthesis" | "observation" | "tool" | "phrase";
  /** The entry with the signal; missing if the signal is the `result`. */
  readonly entryId?: string;
}

/** Detects whether an agent is done with its task. */
export interface CompletionDetector {
  /**
   * Finds the newest signal of the context's agent in its current turn and task; its `result` comes first. Returns
   * `undefined` if the agent is not done. Linear.
   */
  readonly detect: (
    entries: readonly HistoryEntry[],
    context?: CompletionContext,
  ) => CompletionSignal | undefined;
}

/** The default phrases that signal completion. */
export const COMPLETION_PHRASES: readonly string[] = [
  "completed",
  "success",
  "done",
  "finished",
  "task complete",
];

/**
 * Creates a detector for whether an agent is done. It reads only the agent's current turn and task, so an earlier completion never ends
 * the current work.
 *
 * Structured signals take precedence over phrases: a `final`, a `synthesis` by the manager (or without an agent, in its phase), an observation
 * marked completed (`metadata.completed`, or a JSON object with `completed: true`), a call of a completion tool. Phrases match whole words in
 * short texts of successful observations and assistant messages; negations, questions and intentions ("not done", "will be finished") do not count.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `depth` or `maxStatusLength` is not a non-negative integer or `Infinity`.
 *
 * @example
 * ```ts
 * import { final, task } from "@agent-history/core";
 * import { completionDetector } from "@agent-history/filters/completion";
 *
 * const agent = { id: "w1", role: "worker" } as const;
 * const history = [
 *   task({ id: "t1", content: "Count the files.", agent }),
 *   final({ id: "f1", content: "There are 12.", agent }),
 * ];
 * completionDetector().detect(history, { agentId: "w1" });
 * // => { kind: "final", entryId: "f1" }
 * ```
 */
export function completionDetector(options: CompletionDetectorOptions = {}): CompletionDetector {
  const { completionTools = ["complete_task"], phrases = COMPLETION_PHRASES } = options;
  const depth = countOption("depth", options.depth ?? 10);
  const maxStatusLength = countOption("maxStatusLength", options.maxStatusLength ?? 280);
  const tools = new Set(completionTools);
  const wordLists = phrases.map(wordsOf).filter((words) => words.length > 0);

  return {
    detect: (entries, { result, ...context } = {}) => {
      const isStatus = (text: string): boolean =>
        text.length <= maxStatusLength && saysComplete(text, wordLists);
      if (resultSaysComplete(result, isStatus)) return { kind: "result" };
      return overReadable(entries, (readable) => {
        const newest = newestWork(readable, context, depth);
        const structured = newest.find(
          (entry) => structuredKind(entry, context, tools) !== undefined,
        );
        if (structured !== undefined)
          return signal(structured, structuredKind(structured, context, tools));
        const spoken = newest.find((entry) => isStatus(statusText(entry)));
        return spoken && signal(spoken, "phrase");
      });
    },
  };
}

function signal(
  entry: HistoryEntry,
  kind: CompletionSignal["kind"] | undefined,
): CompletionSignal | undefined {
  return kind && { kind, entryId: entry.id };
}

function structuredKind(
  entry: HistoryEntry,
  context: FilterContext,
  tools: ReadonlySet<string>,
): CompletionSignal["kind"] | undefined {
  switch (entry.type) {
    case "final":
      return "final";
    case "synthesis":
      return isOfManager(entry, context) ? "synthesis" : undefined;
    case "observation":
      return isMarkedCompleted(entry) ? "observation" : undefined;
    case "action":
      return (entry.toolCalls ?? []).some(({ name }) => tools.has(name)) ? "tool" : undefined;
    default:
      return undefined;
  }
}

/** A synthesis without an agent is the manager's if the context has that role, or has an agent id but no role (then it was selected by phase). */
function isOfManager(entry: SynthesisEntry, { role, agentId, phaseId }: FilterContext): boolean {
  if (entry.agent !== undefined) return entry.agent.role === "manager";
  const isOther = phaseId !== undefined && entry.phaseId !== undefined && entry.phaseId !== phaseId;
  return !isOther && (role === "manager" || (role === undefined && agentId !== undefined));
}

function isMarkedCompleted({ outcome, metadata, content }: ObservationEntry): boolean {
  if (outcome !== "success") return false;
  if (metadata?.["completed"] === true) return true;
  const text = contentText(content).trim();
  if (!text.startsWith("{") || !text.includes('"completed"')) return false;
  try {
    const value: unknown = JSON.parse(text);
    return (
      typeof value === "object" &&
      value !== null &&
      "completed" in value &&
      value.completed === true
    );
  } catch {
    return false;
  }
}

/** Returns the text to search for phrases: what the agent or a tool reports in words, not data. */
function statusText(entry: HistoryEntry): string {
  const speaks =
    entry.type === "assistant_message" ||
    (entry.type === "observation" && entry.outcome === "success");
  const text = speaks ? contentText(entry.content).trim() : "";
  return text.startsWith("{") || text.startsWith("[") ? "" : text;
}
