import type { JsonValue } from "@agent-history/core";
import { contentHash } from "@agent-history/core/content-hash";
import type { SoundMetadata } from "@agent-history/core/stored-form";

import type { CompactionChange } from "../compaction-programs.ts";
import type { ForkedIndex } from "../fork-program.ts";
import type { StoredOperation } from "../store-program.ts";

/** One line of a thread's log: a change, and what its writer knew. */
export interface JournalRecord {
  readonly threadId: string;
  /** How many records the log had when the change was decided. It counts where it directly follows those: of writers at once, one wins. */
  readonly after: number;
  /** Unique, so that a writer recognizes its own record. */
  readonly token: string;
  /** When it was written, by its writer's clock. */
  readonly atMs: number;
  readonly change: JournalChange;
}

/** What happens to a thread. */
export type JournalChange =
  | ({ readonly kind: "append"; readonly position: number } & JournalEntries)
  | ({ readonly kind: "fork" } & JournalEntries &
      Pick<ForkedIndex, "overlays"> & {
        readonly about: SoundMetadata;
        readonly states: readonly (readonly [view: CompactionChange["view"], state: string])[];
      })
  | ({
      readonly kind: "replace";
      readonly position: number;
      readonly operation: StoredOperation;
      /** Ids of summaries that go. */
      readonly removed: readonly string[];
      readonly states: readonly (readonly [view: CompactionChange["view"], state: string])[];
    } & JournalEntries)
  | ({ readonly kind: "view" } & Omit<CompactionChange, "kind">)
  | {
      readonly kind: "state";
      readonly key: string;
      /** Without one, what stood under the key with this revision is removed. */
      readonly value?: JsonValue;
      readonly revision: number;
    }
  | { readonly kind: "metadata"; readonly about: SoundMetadata }
  | { readonly kind: "delete" };

/** Entries in their stored form. */
export interface JournalEntries {
  readonly entries: readonly JsonValue[];
  /** Counts beside each of them, as `prepareBatch` gave them; `null` where there are none. Left out where none has any. */
  readonly tokens?: readonly (string | null)[];
}

/** Writes a record as one line of JSON, with a checksum. */
export function recordText(record: JournalRecord): string {
  return JSON.stringify({ sum: contentHash(record), ...record });
}

/** Reads a record; `undefined` where the text is not exactly what was written. */
export function readRecord(text: string): JournalRecord | undefined {
  try {
    const { sum, ...record } = JSON.parse(text);
    return contentHash(record) === sum ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a text may be the remains of a record that was never acknowledged. */
export function isCutRecord(text: string): boolean {
  return !text.endsWith("}");
}
