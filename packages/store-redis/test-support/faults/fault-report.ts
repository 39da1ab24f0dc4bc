import type { MixedReport } from "../../../testkit/test-support/faults/mixed-writes.ts";
import { openAnyStore } from "../open-any-store.ts";
import type { AnyStoreAddress } from "../open-any-store.ts";
import { audit, violations } from "../oracle/audit.ts";
import type { Audit } from "../oracle/audit.ts";
import type { Writers } from "../writers/start-writers.ts";

/** What a fault did to a store. */
export interface FaultReport {
  readonly audit: Audit;
  /** How often what was done, and what the store answered. */
  readonly figures: Readonly<Record<string, number>>;
  /** What must not be; empty where the store kept its promises. */
  readonly violations: readonly string[];
}

/** Answers that a fault excuses: the same ids are sent again. Anything else is a promise broken. */
const EXCUSED = /^(OUTCOME_UNKNOWN|STORE_UNAVAILABLE)/u;

/** What a report needs of the writers. */
export type ReportedWriters = Pick<Writers, "ledger" | "failures" | "duplicates" | "conflicts">;

/** Lets a store that has seen nothing of it read what is there, and compares with what the writers were told. */
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

/** A report of mixed writes, each of which is compared by itself. */
export function reportOfMixed({ writes, done, violations: found }: MixedReport): FaultReport {
  const none = { missing: 0, doubled: 0, torn: 0, outOfOrder: 0, foreign: 0, broken: 0 };
  const counted = { ...none, acknowledged: writes, present: writes, unacknowledged: 0 };
  return { audit: counted, figures: { "done, but cut off": done }, violations: found };
}
