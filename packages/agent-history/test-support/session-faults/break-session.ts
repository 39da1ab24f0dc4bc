import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { startPostgresServer } from "../../../store-postgres/test-support/servers/start-postgres-server.ts";
import { startCuttingProxy } from "../../../store-redis/test-support/proxies/start-cutting-proxy.ts";
import type { CuttingProxy } from "../../../store-redis/test-support/proxies/start-cutting-proxy.ts";
import { startRedisServer } from "../../../store-redis/test-support/servers/start-redis-server.ts";
import { openSessionStore } from "./open-session-store.ts";
import { sessionClients } from "./session-clients.ts";

/** The stores that sessions are broken in. */
export type StoreKind = "sqlite" | "redis" | "postgres";

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
    next = await runUntilKilled(breakage, { place, first: next, extra: kill });
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

interface Run {
  readonly place: Place;
  readonly first: number;
  /** Acknowledged items more, so that kills fall into other moments. */
  readonly extra: number;
}

/** Returns the number after the last that was acknowledged. */
async function runUntilKilled(
  { sdk, kind, cuts, everyItems }: Breakage,
  { place, first, extra }: Run,
): Promise<number> {
  const script = join(import.meta.dirname, "write-to-session.ts");
  const args = ["--conditions=@agent-history/source", script, sdk, kind, place.address];
  const child = spawn(process.execPath, [...args, String(first)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const last = everyItems * ((place.proxy === undefined ? 0 : cuts) + 1) + (extra % 7);
  let next = first;
  for await (const line of createInterface({ input: child.stdout })) {
    if (Number(line) !== next) throw new Error(`Expected ${next}, got ${line}.`);
    next += 1;
    const done = next - first;
    if (done >= last) child.kill("SIGKILL");
    else if (done % everyItems === 0) {
      place.proxy?.cut((done / everyItems) % 2 === 0 ? "before" : "after");
    }
  }
  await exited;
  if (next - first < last) throw new Error(`The client ended by itself after ${next - first}.`);
  return next;
}

interface Place extends AsyncDisposable {
  /** What the clients are given. */
  readonly address: string;
  /** The store without the proxy. */
  readonly direct: string;
  readonly proxy?: CuttingProxy;
}

async function startPlace(kind: StoreKind): Promise<Place> {
  if (kind === "sqlite") {
    const folder = mkdtempSync(join(tmpdir(), "agent-history-session-"));
    const path = join(folder, "sessions.db");
    const end = async (): Promise<void> => rmSync(folder, { recursive: true });
    return { address: path, direct: path, [Symbol.asyncDispose]: end };
  }
  await using starting = new AsyncDisposableStack();
  const server = starting.use(
    kind === "redis" ? await startRedisServer() : await startPostgresServer(),
  );
  const proxy = starting.use(await startCuttingProxy(server.port));
  const started = starting.move();
  return {
    address: server.url.replace(`:${server.port}`, `:${proxy.port}`),
    direct: server.url,
    proxy,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
