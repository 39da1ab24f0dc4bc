import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startRedisServer } from "../../../../packages/store-redis/test-support/servers/start-redis-server.ts";
import type { ResultTable } from "../report/result-table.ts";
import { milliseconds } from "../report/statistics.ts";
import { takeTurns } from "../report/take-turns.ts";
import type { Timing } from "../report/take-turns.ts";
import { bareRedis, bareSqlite } from "../stores/bare-stores.ts";
import { managedConversation, readConversation } from "../stores/kept-conversations.ts";
import type { KeptConversation } from "../stores/kept-conversations.ts";
import { peerStores } from "../systems/all-systems.ts";

/** What one system took to read a conversation of one length, and ours to fit it. */
export interface ManagerFigures {
  readonly backend: KeptConversation["backend"];
  readonly system: string;
  readonly entries: number;
  readonly call: Timing;
}

/** What is measured, and how often. */
export interface ManagerRequest {
  readonly lengths: readonly number[];
  readonly repeats: number;
  readonly withPeers: boolean;
  /** Starts a server; without it only memory and SQLite are measured. */
  readonly withRedis: boolean;
}

/** About what a window of 32,000 tokens holds. */
const NEWEST = 400;

/** Measures one more turn on every length; all systems of a length take turns. */
export async function managerAll(request: ManagerRequest): Promise<readonly ManagerFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-manager-"));
  try {
    if (!request.withRedis) return await measureAll(request, folder, undefined);
    await using server = await startRedisServer();
    return await measureAll(request, folder, server.url);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(
  { lengths, repeats, withPeers }: ManagerRequest,
  folder: string,
  url: string | undefined,
): Promise<readonly ManagerFigures[]> {
  const figures: ManagerFigures[] = [];
  for (const entries of lengths) {
    const own = { entries, url, path: join(folder, `own-${entries}.db`) };
    const read = { entries, newest: NEWEST };
    const kept = [
      await managedConversation("memory", own),
      await managedConversation("SQLite", own),
      await readConversation(bareSqlite(join(folder, `bare-${entries}.db`)), read),
    ];
    if (url !== undefined) {
      kept.push(await managedConversation("Redis", own));
      const others = [bareRedis(url), ...(withPeers ? await peerStores(url) : [])];
      for (const system of others) kept.push(await readConversation(system, read));
    }
    const calls = await takeTurns(
      kept.map(({ oneMoreTurn }) => oneMoreTurn),
      repeats,
    );
    for (const [nth, { backend, system, close }] of kept.entries()) {
      const call = calls[nth];
      if (call !== undefined) figures.push({ backend, system, entries, call });
      await close();
    }
  }
  return figures;
}

/** Draws what was found, by backend and length. */
export function managerTable(figures: readonly ManagerFigures[]): ResultTable {
  const sorted = figures.toSorted(
    (one, other) => one.backend.localeCompare(other.backend) || one.entries - other.entries,
  );
  return {
    title: "Manager: the prompt of one more turn, from where the conversation is kept",
    note: `Milliseconds from the second call of a process on; all systems of one length take turns, and what differs between its halves by more than a third is run again (unsteady: it still does). Ours reads, fits 32,000 tokens and stores its plan. The others read the newest ${NEWEST} messages, or all where they know no other way, and fit nothing.`,
    head: ["backend", "entries", "system", "fastest", "median", "mean", "load"],
    rows: sorted.map(({ backend, entries, system, call }) => [
      backend,
      entries.toLocaleString("en"),
      system,
      milliseconds(call.minMs),
      `${milliseconds(call.medianMs)}${call.isUnsteady ? " (unsteady)" : ""}`,
      milliseconds(call.meanMs),
      call.load.toFixed(1),
    ]),
    figures: sorted,
  };
}

const LONG = 100_000;
const SHORT = 1000;

/** What is promised: 100,000 entries cost twice what 1,000 do at most, three times a bare read of the newest, and less than a peer's read of them. */
export function brokenManagers(figures: readonly ManagerFigures[]): readonly string[] {
  const ours = figures.filter(({ system }) => system.startsWith("agent-history"));
  const peers = figures.filter(({ system }) => system.startsWith("@"));
  const bares = figures.filter(({ system }) => system.startsWith("bare"));
  return ours
    .filter(({ entries }) => entries === LONG)
    .flatMap(({ backend, call }) => {
      const short = ours.find((row) => row.backend === backend && row.entries === SHORT)?.call
        .medianMs;
      const bare = bares.find((row) => row.backend === backend && row.entries === LONG)?.call
        .medianMs;
      const timesBare = call.medianMs / (bare ?? Number.NaN);
      const times = call.medianMs / (short ?? Number.NaN);
      const slower = peers.filter(
        (peer) =>
          peer.backend === backend && peer.entries === LONG && peer.call.medianMs < call.medianMs,
      );
      return [
        ...(times > 2
          ? [`A call at 100,000 costs ${times.toFixed(1)} times 1,000, ${backend}.`]
          : []),
        ...(timesBare > 3
          ? [`A call at 100,000 costs ${timesBare.toFixed(1)} times a bare read, ${backend}.`]
          : []),
        ...slower.map(({ system }) => `A call at 100,000 is slower than a read by ${system}.`),
      ];
    });
}
