import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import { textOfEntry } from "../src/internal/data-text.ts";

/** A token for every four characters, and three for each message. */
export const counter: TokenCounter = {
  id: "quarters",
  countText: (text) => Math.ceil(text.length / 4),
  countEntry: (entry: HistoryEntry) => 3 + Math.ceil(textOfEntry(entry).length / 4),
  countRequest: () => 3,
};

/** Lets everything that is ready go first, so that time passes only where there is nothing else to wait for. */
export const sleep = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
