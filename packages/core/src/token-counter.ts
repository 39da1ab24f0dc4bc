import type { HistoryEntry } from "./history-entry.ts";
import type { Viewer } from "./message-role.ts";
import type { ToolDefinition } from "./tools.ts";

/** Limit up to which a count is exact. */
export interface CountLimit {
  /**
   * Tokens above which the exact count does not matter. A count above it may be any number above it up to the text's
   * whole count; one that is not above it is exact. Counters may ignore it. Default: `Infinity`.
   */
  readonly atMost?: number;
}

/** What one image or file of an entry costs. */
export interface MediaCount {
  readonly kind: "image" | "file";
  readonly tokens: number;
  /** Set if neither the bytes nor the part give the size. Plans report such counts, and no request is refused because of one. */
  readonly isEstimate?: boolean;
  /** In pixels, of an image whose size is known. */
  readonly width?: number;
  readonly height?: number;
}

/**
 * Counts what a request costs. The whole request is `countRequest` plus `countEntry` of each entry.
 *
 * Laws: a count is an integer of 0 or more; the same object counts the same, and is counted once (weakly cached, L13);
 * an entry counts what it is rendered as, with its message overhead, names, calls and arguments, images and files
 * (L4); the sum is never below what the provider counts, for a counter that calls itself exact.
 */
export interface TokenCounter {
  /** Identifies counter, model or encoding. Counts with one id may be stored and compared. */
  readonly id: string;
  /** Set if the model's tokenizer is unknown and counts are estimates; plans say so. */
  readonly isEstimate?: boolean;
  /** Tokens of a bare text, exactly up to `limit.atMost`; above it, a counter may stop counting. */
  countText(text: string, limit?: CountLimit): number;
  /** Tokens that one entry adds to the request of `viewer`. */
  countEntry(entry: HistoryEntry, viewer?: Viewer): number;
  /** Counts of the images and files of an entry, which are part of its count. Default: sizes are unknown, and no count is an estimate. */
  countMedia?(entry: HistoryEntry): readonly MediaCount[];
  /** Tokens of a request without entries: the reply's primer and the tool schemas. */
  countRequest(tools?: readonly ToolDefinition[]): number;
  /** How far the provider's count may exceed this many counted tokens, by observation. Default: unknown. */
  errorOf?(tokens: number): number;
}

/** A {@link TokenCounter} that may be async, for example because it calls a server. */
export interface AsyncTokenCounter {
  readonly id: string;
  readonly isEstimate?: boolean;
  countText(text: string, signal?: AbortSignal): Promise<number>;
  countEntry(entry: HistoryEntry, viewer?: Viewer, signal?: AbortSignal): Promise<number>;
  countMedia?(entry: HistoryEntry): readonly MediaCount[];
  countRequest(tools?: readonly ToolDefinition[], signal?: AbortSignal): Promise<number>;
}
