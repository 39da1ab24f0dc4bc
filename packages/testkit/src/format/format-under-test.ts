import type { HistoryEntry, Viewer } from "@agent-history/core";
import type { ReadOptions } from "@agent-history/format-kit";

/** A message format under test. */
export interface FormatUnderTest {
  /** Turns messages into entries. */
  readonly read: (messages: readonly object[], options?: ReadOptions) => readonly HistoryEntry[];
  /** Turns entries into messages. */
  readonly write: (entries: readonly HistoryEntry[], viewer?: Viewer) => readonly object[];
  /** Returns a user's message. */
  readonly userMessage: (text: string) => object;
  /** Every kind of message that the provider's SDK has, one of each at least. */
  readonly knownMessages: readonly object[];
  /** What the SDK does not allow and yet comes: unknown fields and kinds, missing ids, contents of the wrong kind. */
  readonly strangeMessages: readonly object[];
  /** Names what the provider would refuse. Without it, nobody checks that. */
  readonly problems?: (
    messages: readonly object[],
  ) => readonly string[] | Promise<readonly string[]>;
}

/** How much the suite does. */
export interface FormatSuiteOptions {
  /** Runs of each property, from 1. Default 100; the environment variable `LAW_RUNS` multiplies it. */
  readonly runs?: number;
}
