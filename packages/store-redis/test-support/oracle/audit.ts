import type { HistoryStore } from "@agent-history/core";

import { batchPosition } from "./batch-of.ts";
import type { BatchPosition } from "./batch-of.ts";
import { batchKey } from "./ledger.ts";
import type { Ledger, LedgerLine } from "./ledger.ts";

/** Comparison of a store's content with the ledger, in entries (`torn` in batches). */
export interface Audit {
  /** The store acknowledged them. */
  readonly acknowledged: number;
  readonly present: number;
  /** Acknowledged, but not in the store. */
  readonly missing: number;
  /** Stored more than once. */
  readonly doubled: number;
  /** Batches that are stored only in part, or with other entries in between. */
  readonly torn: number;
  /** Stored after an entry that was written later. */
  readonly outOfOrder: number;
  /** Never sent. */
  readonly foreign: number;
  /** Stored, but not acknowledged, because the answer was lost. Not a violation. */
  readonly unacknowledged: number;
  /** Problems that `verify` found. */
  readonly broken: number;
}

const NOTHING: Audit = {
  acknowledged: 0,
  present: 0,
  missing: 0,
  doubled: 0,
  torn: 0,
  outOfOrder: 0,
  foreign: 0,
  unacknowledged: 0,
  broken: 0,
};

/** Reads the log of every thread in the ledger and compares it, entry by entry. */
export async function audit(store: HistoryStore, ledger: Ledger): Promise<Audit> {
  const audits: Audit[] = [];
  for (const thread of ledger.threads()) {
    const { entries, problems } = await store.read(thread, { originals: true });
    const found = await store.verify(thread);
    const ids = entries.map(({ id }) => id);
    const broken = problems.length + found.length;
    audits.push({ ...auditThread(ids, ledger.batches(thread)), broken });
  }
  return audits.reduce(add, NOTHING);
}

/** Lists violations in words; empty if there are none. */
export function violations(found: Audit): string[] {
  const faults = ["missing", "doubled", "torn", "outOfOrder", "foreign", "broken"] as const;
  return faults.filter((fault) => found[fault] > 0).map((fault) => `${found[fault]} ${fault}`);
}

/** Compares the ids of one thread with what was sent to it. */
export function auditThread(ids: readonly string[], lines: ReadonlyMap<string, LedgerLine>): Audit {
  const positions = ids.map(batchPosition);
  const copies = countBy(ids, (id) => id);
  const entriesOf = countBy(positions, (position) => (position ? batchKey(position) : ""));
  const wasSent = (position: BatchPosition | undefined): boolean =>
    position !== undefined && lines.has(batchKey(position));
  const sizeIn = (line: LedgerLine): number => entriesOf.get(batchKey(line)) ?? 0;
  const acknowledged = [...lines.values()].filter(({ isAcknowledged }) => isAcknowledged);
  return {
    acknowledged: sum(acknowledged.map(({ size }) => size)),
    present: ids.length,
    missing: sum(acknowledged.map((line) => Math.max(0, line.size - sizeIn(line)))),
    doubled: sum([...copies.values()].map((count) => count - 1)),
    torn: countTorn(positions),
    outOfOrder: countOutOfOrder(positions),
    foreign: positions.filter((position) => !wasSent(position)).length,
    unacknowledged: sum(
      [...lines.values()].filter(({ isAcknowledged }) => !isAcknowledged).map(sizeIn),
    ),
    broken: 0,
  };
}

/** Counts torn batches: a batch is whole if its entries are consecutive from the first to the last. */
function countTorn(positions: readonly (BatchPosition | undefined)[]): number {
  const torn = new Set<string>();
  for (const [position, batch] of positions.entries()) {
    if (batch === undefined) continue;
    const before = positions[position - 1];
    const after = positions[position + 1];
    const follows = batch.index === 0 || isNext(before, batch);
    const isFollowed = batch.index + 1 === batch.size || isNext(batch, after);
    if (!follows || !isFollowed) torn.add(batchKey(batch));
  }
  return torn.size;
}

function isNext(before: BatchPosition | undefined, after: BatchPosition | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return batchKey(before) === batchKey(after) && before.index + 1 === after.index;
}

/** Counts entries out of order: a writer sends its next batch to a thread only after the previous one was accepted. */
function countOutOfOrder(positions: readonly (BatchPosition | undefined)[]): number {
  const newest = new Map<string, number>();
  let count = 0;
  for (const position of positions) {
    if (position === undefined) continue;
    const last = newest.get(position.writer) ?? -1;
    if (position.batch < last) count += 1;
    newest.set(position.writer, Math.max(last, position.batch));
  }
  return count;
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function add(left: Audit, right: Audit): Audit {
  return {
    acknowledged: left.acknowledged + right.acknowledged,
    present: left.present + right.present,
    missing: left.missing + right.missing,
    doubled: left.doubled + right.doubled,
    torn: left.torn + right.torn,
    outOfOrder: left.outOfOrder + right.outOfOrder,
    foreign: left.foreign + right.foreign,
    unacknowledged: left.unacknowledged + right.unacknowledged,
    broken: left.broken + right.broken,
  };
}
