import type { Compressor, HistoryView } from "@agent-history/core";

import type { CompressOptions } from "./compress-options.ts";
import type { CompressionResult } from "./compression-result.ts";
import type { CompressionState } from "./compression-state.ts";
import { readSettings } from "./internal/settings.ts";
import { traceCompression } from "./internal/trace-compression.ts";

/** Options of {@link createCompressor}: those of {@link compressHistory}, but for what each call says. */
export interface CompressorOptions extends Omit<CompressOptions, "view" | "state" | "signal"> {
  /** Stands in plans as who summarized. Default `compression`. */
  readonly name?: string | undefined;
  /** As in {@link compressHistory}, but default 0: who calls a compressor has set apart what is recent. */
  readonly tailTokens?: number | undefined;
}

/** A `Compressor` that says more of its outcome. */
export interface HistoryCompressor extends Compressor {
  compress(...call: Parameters<Compressor["compress"]>): Promise<CompressionResult>;
}

/**
 * Makes a `Compressor` for the reducer's `replaceOldTurns`, `threeTierReducer`, or a loop of your own.
 *
 * Where a strategy makes several summaries, their texts are joined into one, under one cap, because one summary replaces old
 * turns; a call with `allowsSeveral` gets all of them. A call's `strategy`, `model` and `tailTokens` override the
 * compressor's own. It remembers failures by view, for as long as it lives: make one for each thread.
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
      const result = await traceCompression(entries, settings, allowsSeveral ? "apart" : "joined");
      states.set(view, result.state);
      return result;
    },
  };
}
