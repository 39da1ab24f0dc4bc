import type { Compressor, HistoryEntry, HistoryView } from "@agent-history/core";

import { readSettings } from "./compress-options.ts";
import type { CompressionResult, CompressOptions } from "./compress-options.ts";
import type { CompressionState } from "./compression-state.ts";
import { runCompression } from "./internal/run-compression.ts";
import { coverageOf, showView } from "./internal/view-items.ts";

/**
 * Summarizes old entries of a view (compaction) and returns the compactions. Mutates nothing: the caller applies, stores, undoes or drops them.
 *
 * System messages, pins, memories, the newest user message, the newest task, running exchanges and a verbatim tail are never
 * covered. Exchanges are covered whole or not at all; entries of other agents never. A summary has a cap, saves at least its share,
 * has the trust of the least trusted entry it covers, and is framed as data. An earlier summary is extended.
 *
 * May run beside the agent: entries are read before it returns a promise, so entries appended meanwhile are kept. Check the result with
 * {@link areStillValid}, or commit it with the revision that was read before.
 *
 * @param entries - The log with its summaries, or what a store's read of the view returned, not repaired: runs are named by the order of the log.
 * @returns `compressed`, `not-needed`, `not-beneficial` or `failed`, with the state to pass to the next call.
 * @throws `HistoryError` with code `INVALID_OPTION`; `ABORTED` when the signal fires. Any other error is the outcome `failed`.
 * @example
 * ```ts
 * import { compressHistory, noCompression } from "@agent-history/compression";
 *
 * const counter = { id: "characters", countText: (text: string) => text.length, countEntry: () => 10, countRequest: () => 0 };
 * const { outcome } = await compressHistory([], { counter, strategy: noCompression });
 * outcome;
 * // => "not-needed"
 * ```
 */
export async function compressHistory(
  entries: readonly HistoryEntry[],
  options: CompressOptions,
): Promise<CompressionResult> {
  return runCompression(entries, readSettings(options));
}

/**
 * Compresses a history and returns what its view then shows, for the next model call. If nothing was compressed, that
 * is what it showed before.
 *
 * Unlike {@link compressHistory} it keeps no verbatim tail by default, so that a short history is replaced too. Instructions,
 * pins, memories, the newest user message, the newest task and running exchanges survive.
 *
 * The result does not contain the originals: keep the log, or commit the outcome's compactions to a store, to be able to undo.
 *
 * @throws As {@link compressHistory} does.
 */
export async function replaceHistoryWithSummary(
  entries: readonly HistoryEntry[],
  options: CompressOptions,
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly result: CompressionResult }> {
  const result = await compressHistory(entries, { tailTokens: 0, ...options });
  const { view = "thread" } = options;
  const shown = showView(entries, view);
  if (result.outcome !== "compressed") return { entries: shown, result };
  const coveredBy = coverageOf(shown, view);
  const standing = new Map<HistoryEntry, readonly HistoryEntry[]>();
  for (const { summary } of result.compactions) {
    const [first, ...others] = coveredBy(summary) ?? [];
    if (first !== undefined) standing.set(first, [summary]);
    for (const entry of others) standing.set(entry, []);
  }
  return { entries: shown.flatMap((entry) => standing.get(entry) ?? [entry]), result };
}

/** Options of {@link createCompressor}: those of {@link compressHistory} without the ones of a single call. */
export interface CompressorOptions extends Omit<CompressOptions, "view" | "state" | "signal"> {
  /** Its name in plans. Default `compression`. */
  readonly name?: string | undefined;
  /** As in {@link compressHistory}, but default 0: callers of a compressor have already set recent entries apart. */
  readonly tailTokens?: number | undefined;
}

/** A `Compressor` with a more detailed outcome. */
export interface HistoryCompressor extends Compressor {
  compress(...call: Parameters<Compressor["compress"]>): Promise<CompressionResult>;
}

/**
 * Creates a `Compressor` for the reducer's `replaceOldTurns`, `threeTierReducer`, or your own loop.
 *
 * If a strategy makes several summaries, they are joined into one under one cap, because one summary replaces old
 * turns; a call with `allowsSeveral` gets all of them. A call's `strategy`, `model` and `tailTokens` override the
 * compressor's own. It remembers failures by view in memory: create one for each thread.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` at construction.
 * @example
 * ```ts
 * import { createCompressor } from "@agent-history/compression";
 *
 * const counter = { id: "characters", countText: (text: string) => text.length, countEntry: () => 10, countRequest: () => 0 };
 * const compressor = createCompressor({ counter });
 * const { outcome } = await compressor.compress([], { view: "thread" });
 * outcome;
 * // => "not-needed"
 * ```
 */
export function createCompressor(options: CompressorOptions): HistoryCompressor {
  const { name = "compression", ...fixed } = options;
  const base = { tailTokens: 0, ...fixed };
  readSettings(base);
  const states = new Map<HistoryView, CompressionState>();
  return {
    name,
    compress: async (entries, { view, allowsSeveral = false, signal, ...call }) => {
      const state = states.get(view);
      const settings = readSettings({
        ...base,
        ...call,
        view,
        ...(state && { state }),
        ...(signal && { signal }),
      });
      const result = await runCompression(entries, settings, !allowsSeveral);
      states.set(view, result.state);
      return result;
    },
  };
}
