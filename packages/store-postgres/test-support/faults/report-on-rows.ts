import { Client } from "pg";

import type {
  FaultReport,
  ReportedWriters,
} from "../../../store-redis/test-support/faults/fault-report.ts";
import { reportOn } from "../../../store-redis/test-support/faults/fault-report.ts";
import { auditThread, violations } from "../../../store-redis/test-support/oracle/audit.ts";
import type { Ledger } from "../../../store-redis/test-support/oracle/ledger.ts";
import type { PostgresAddress } from "../open-store.ts";

/** Compares the writers' ledger with what a store reads, and with the rows, read without code of this package. */
export async function reportOnRows(
  address: PostgresAddress,
  writers: ReportedWriters,
  done: Readonly<Record<string, number>>,
): Promise<FaultReport> {
  const report = await reportOn(address, writers, done);
  const { rows, faults } = await auditRows(address, writers.ledger);
  return {
    ...report,
    figures: { ...report.figures, rows },
    violations: [...report.violations, ...faults.map((fault) => `in the tables: ${fault}`)],
  };
}

interface EntryRow {
  readonly id: string;
  readonly position: number;
  readonly version: number;
  readonly own: string;
}

/** Audits the tables with plain SQL: threads that were never forked have all their entries in one log. */
async function auditRows(
  { url, schema }: PostgresAddress,
  ledger: Ledger,
): Promise<{ readonly rows: number; readonly faults: readonly string[] }> {
  const client = new Client(url);
  await client.connect();
  let rows = 0;
  const faults: string[] = [];
  try {
    for (const thread of ledger.threads()) {
      const { rows: entries } = await client.query<EntryRow>(
        `SELECT id, position::int AS position, count(*) OVER ()::int AS version, id AS own FROM ${schema}.thread_entries WHERE thread = $1 ORDER BY position`,
        [thread],
      );
      rows += entries.length;
      const ids = entries.map(({ id }) => id);
      faults.push(...violations(auditThread(ids, ledger.batches(thread))));
      const isWhole = entries.every(
        ({ id, position, version, own }, nth) =>
          own === id && position === nth && version === entries.length,
      );
      if (!isWhole) faults.push(`${thread} has gaps, or another version`);
    }
  } finally {
    await client.end();
  }
  return { rows, faults };
}
