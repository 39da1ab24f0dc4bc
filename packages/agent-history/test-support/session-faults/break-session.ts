import { join } from "node:path";

import { openSessionStore } from "./open-session-store.ts";
import { runUntilKilled } from "./run-until-killed.ts";
import { sessionClients } from "./session-clients.ts";
import { startPlace } from "./start-place.ts";
import type { StoreKind } from "./start-place.ts";

/** What is broken, and how often. */
export interface Breakage {
  readonly sdk: string;
  readonly kind: StoreKind;
  /** How often the process of the client is killed. */
  readonly kills: number;
  /** How often its connections are cut between two kills, in turn before and after a request was carried out; not with SQLite. */
  readonly cuts: number;
  /** How many items are acknowledged between two faults. */
  readonly everyItems: number;
}

/** What became of the items, as judged by what the client printed. */
export interface SessionReport {
  readonly acknowledged: number;
  /** Acknowledged items that are not there. */
  readonly lost: number;
  /** Items that stand there more than once. */
  readonly doubled: number;
  /** Items that stand after a later one. */
  readonly outOfOrder: number;
  /** Items that were never sent. */
  readonly unknown: number;
  readonly kills: number;
  /** Connections that were cut. */
  readonly cut: number;
}

/** Lets a client of an SDK write to its session, breaks what it writes through, and counts what stands in the session at the end. */
export async function breakSession(breakage: Breakage): Promise<SessionReport> {
  const { sdk, kind, kills } = breakage;
  await using place = await startPlace(kind);
  let next = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const script = join(import.meta.dirname, "write-to-session.ts");
    const args = [sdk, kind, place.address];
    next = await runUntilKilled({ ...breakage, script, args, place, first: next, extra: kill });
  }
  const { store, close } = await openSessionStore(kind, place.direct);
  try {
    const numbers = (await sessionClients[sdk]?.(store).read()) ?? [];
    const { before, after } = place.proxy?.cuts ?? { before: 0, after: 0 };
    return { ...judgeNumbers(numbers, next), kills, cut: before + after };
  } finally {
    await close();
  }
}

/** The oracle: it knows the numbers that were acknowledged, all below `next`, and the one that may have been on its way. */
export function judgeNumbers(
  numbers: readonly number[],
  next: number,
): Omit<SessionReport, "kills" | "cut"> {
  const there = new Set(numbers);
  const lost = Array.from({ length: next }, (_, number) => number).filter((n) => !there.has(n));
  return {
    acknowledged: next,
    lost: lost.length,
    doubled: numbers.length - there.size,
    outOfOrder: numbers.filter((n, index) => index > 0 && n < (numbers[index - 1] ?? n)).length,
    unknown: numbers.filter((n) => !(n <= next)).length,
  };
}
