import type { groupExchanges } from "../group-exchanges.ts";
import type { HistoryEntry } from "../history-entry.ts";
import type { Viewer } from "../message-role.ts";
import type { Violation, ViolationRule } from "../violation.ts";

/** A prompt and the history that it was made from. */
export interface Compared {
  readonly entries: readonly HistoryEntry[];
  /** The entries of the prompt by id. */
  readonly kept: ReadonlyMap<string, HistoryEntry>;
  readonly before: readonly HistoryEntry[];
  /** The exchanges of the original history. */
  readonly groups: ReturnType<typeof groupExchanges>;
  readonly viewer: Viewer;
  readonly add: AddViolation;
}

/** Reports a violation. */
export type AddViolation = (
  law: Violation["law"],
  rule: ViolationRule,
  entryId: string,
  message: string,
) => void;
