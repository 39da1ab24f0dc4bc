import type { HistoryEntry } from "@agent-history/core";

import { countTokens } from "./count-tokens.ts";

/** Tells of each prompt how much of it stood at the beginning of the one before. */
export interface StablePrefix {
  /** The tokens of the entries at the beginning that are word for word those of this slot's last prompt; instructions apart. */
  readonly note: (slot: string, entries: readonly HistoryEntry[]) => number;
}

/** Remembers the last prompt of each slot. */
export function stablePrefix(): StablePrefix {
  const last = new Map<string, readonly string[]>();
  return {
    note: (slot, entries) => {
      const texts = entries.map((entry) => JSON.stringify(entry));
      const before = last.get(slot) ?? [];
      last.set(slot, texts);
      const differs = texts.findIndex((text, index) => text !== before[index]);
      // The instructions are the first entry, and no part of the thread.
      return countTokens(entries.slice(1, differs < 0 ? undefined : Math.max(1, differs)));
    },
  };
}
