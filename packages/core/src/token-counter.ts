import type { HistoryEntry } from "./history-entry.ts";
import type { JsonObject } from "./json.ts";
import type { Viewer } from "./message-role.ts";

/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its arguments. */
  readonly parameters?: JsonObject;
}

/**
 * Counts what a request costs. The whole request is `countRequest` plus `countEntry` of each entry.
 *
 * Laws: a count is an integer of 0 or more; the same object counts the same, and is counted once (weakly cached, L13);
 * an entry counts what it is rendered as, with its message overhead, names, calls and arguments, images and files
 * (L4); the sum is never below what the provider counts, for a counter that calls itself exact.
 */
export interface TokenCounter {
  /** Names counter, model or encoding: counts of one id may be stored and compared. */
  readonly id: string;
  /** Tokens of a bare text. */
  countText(text: string): number;
  /** Tokens that one entry adds to the request of `viewer`. */
  countEntry(entry: HistoryEntry, viewer?: Viewer): number;
  /** Tokens that a request has before any entry: the reply's primer and the tool schemas. */
  countRequest(tools?: readonly ToolDefinition[]): number;
}

/** A {@link TokenCounter} that asks a server, or reads a file, before it knows. */
export interface AsyncTokenCounter {
  readonly id: string;
  countText(text: string, signal?: AbortSignal): Promise<number>;
  countEntry(entry: HistoryEntry, viewer?: Viewer, signal?: AbortSignal): Promise<number>;
  countRequest(tools?: readonly ToolDefinition[], signal?: AbortSignal): Promise<number>;
}
