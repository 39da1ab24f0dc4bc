import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { CompressOptions } from "./compress-options.ts";
import type { CompressionResult } from "./compression-result.ts";
import { readState } from "./compression-state.ts";
import { readSettings } from "./internal/settings.ts";
import { traceCompression } from "./internal/trace-compression.ts";

/** A compression that runs beside the agent. */
export interface RunningCompression {
  /** Never rejects: an abort is the outcome `failed`, with an error of code `ABORTED`, and counts as no failure. */
  readonly result: Promise<CompressionResult>;
  /** Stops it. What is done by then is dropped. */
  readonly abort: (reason?: unknown) => void;
}

/**
 * Begins to compress and returns at once, so that the agent goes on. What is appended meanwhile is kept, as a compaction names
 * what it covers and nothing else. When the result is there, ask {@link isStillValid}, or commit it with the revision that
 * was read before: it is taken whole, or dropped.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`, at once.
 */
export function startCompression(
  entries: readonly HistoryEntry[],
  options: CompressOptions,
): RunningCompression {
  const controller = new AbortController();
  const { signal } = options;
  const abort = (reason?: unknown): void => controller.abort(reason);
  const follow = (): void => abort(signal?.reason);
  if (signal?.aborted === true) follow();
  signal?.addEventListener("abort", follow, { once: true });
  const settings = readSettings({ ...options, signal: controller.signal });
  // A copy: the agent appends to its own array.
  const snapshot = [...entries];
  const run = async (): Promise<CompressionResult> => {
    try {
      // The handle comes first, then the work.
      await Promise.resolve();
      return await traceCompression(snapshot, settings, "apart");
    } catch (error) {
      const reason = isHistoryError(error) ? error.message : "The compression failed.";
      return { outcome: "failed", reason, error, state: readState(options.state) };
    } finally {
      signal?.removeEventListener("abort", follow);
    }
  };
  return { result: run(), abort };
}
