import type { MixedReport } from "../../../testkit/test-support/faults/mixed-writes.ts";
import { openAnyStore } from "../open-any-store.ts";
import type { AnyStoreAddress } from "../open-any-store.ts";
import { audit, violations } from "../oracle/audit.ts";
import type { Audit } from "../oracle/audit.ts";
import type { Writers } from "../writers/start-writers.ts";

/** The result of a fault run. */
export interface FaultReport {
  readonly audit: Audit;
  /** Counts of actions and of the store's answers. */
  readonly figures: Readonly<Record<string, number>>;
  /** Violations; empty if the store kept its guarantees. */
  readonly violations: readonly string[];
}

/** Errors that are allowed during a fault: the same ids are sent again. Any other error is a violation. */
const EXCUSED = /^(OUTCOME_UNKNOWN|STORE_UNAVAILABLE)/u;

/** The properties of the writers that a report uses. */
export type ReportedWriters = Pick<Writers, "ledger" | "failures" | "duplicates" | "conflicts">;

/** Reads all threads with a fresh store, and compares them with the writers' ledger. */
export async function reportOn(
  address: AnyStoreAddress,
  writers: ReportedWriters,
  done: Readonly<Record<string, number>>,
): Promise<FaultReport> {
  await using reader = await openAnyStore(address);
  const found = await audit(reader.store, writers.ledger);
  const failures = Object.fromEntries(writers.failures);
  const conflicts = writers.conflicts();
  const retries = { duplicates: writers.duplicates(), ...(conflicts > 0 && { conflicts }) };
  const figures = { ...done, ...retries, ...failures };
  const errors = [...writers.failures.keys()].filter((code) => !EXCUSED.test(code));
  return { audit: found, figures, violations: [...violations(found), ...errors] };
}

/** A report of mixed writes, each of which was compared by itself. */
export function reportOfMixed({ writes, done, violations: found }: MixedReport): FaultReport {
  const none = { missing: 0, doubled: 0, torn: 0, outOfOrder: 0, foreign: 0, broken: 0 };
  const counted = { ...none, acknowledged: writes, present: writes, unacknowledged: 0 };
  return { audit: counted, figures: { "done, but cut off": done }, violations: found };
}
