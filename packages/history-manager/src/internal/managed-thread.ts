import type { HistoryManagerOptions } from "../history-manager-options.ts";
import type { EntryMemory } from "./entry-memory.ts";
import type { ThreadLog } from "./thread-log.ts";

/** What all verbs work on: one thread of a store, and what this process remembers of it. Nothing that is remembered decides anything: made anew, it is the same. */
export interface ManagedThread {
  readonly options: HistoryManagerOptions;
  readonly log: ThreadLog;
  readonly memory: EntryMemory;
}
