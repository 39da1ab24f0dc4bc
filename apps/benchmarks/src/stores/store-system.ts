import type { HistoryEntry } from "@agent-history/core";

/** Something that keeps histories. */
export interface StoreSystem {
  readonly name: string;
  /** Where it keeps them. */
  readonly backend: "memory" | "Redis" | "SQLite";
  /** What it does not do. */
  readonly leavesOut: string;
  /** Opens a thread of its own. Not measured. */
  open(thread: string): Promise<OpenThread>;
}

/** One history in the hands of one store. */
export interface OpenThread {
  /** Adds entries, each in the store's own form, and waits until they are acknowledged. */
  append(entries: readonly HistoryEntry[]): Promise<unknown>;
  /** Reads the newest entries. */
  tail(count: number): Promise<readonly unknown[]>;
  /** Reads what one worker sees of the running turn; everything, where the store knows no other way. */
  workerView(): Promise<readonly unknown[]>;
  close(): Promise<unknown>;
}
