import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

import { linearizeLog } from "../../testkit/test-support/faults/linearize-log.ts";
import { mixedAudit } from "../../testkit/test-support/faults/mixed-writes.ts";
import { sqliteStore } from "../src/sqlite-store.ts";
import { countBatches } from "./count-batches.ts";
import { killInErasures } from "./kill-in-erasures.ts";
import { mountLazyfs } from "./mount-lazyfs.ts";
import { startWriter } from "./start-writer.ts";

/** The result of a fault run, in batches or writes; `lost` only if losses are allowed. */
interface FileReport {
  readonly audit: { readonly acknowledged: number; readonly lost?: number };
  readonly violations: readonly string[];
}

/** Kills a process while it writes batches. */
export async function killWriter(runs: number): Promise<FileReport> {
  return sumOver(runs, (nth) => inFolder((path) => killAfter(path, nth)));
}

/** Repeatedly kills a process during a sequence of all kinds of writes, on one file. */
export async function killInEveryVerb(kills: number): Promise<FileReport> {
  return inFolder(async (path) => {
    const audit = mixedAudit();
    let acknowledged = 0;
    const violations: string[] = [];
    for (let nth = 0; nth < kills; nth += 1) {
      acknowledged += await writeUntilKilled(path, acknowledged, 1 + ((nth * 37) % 40));
      const store = sqliteStore({ path });
      violations.push(...(await audit.compare(store, acknowledged)).violations);
      await store.close();
      // The interrupted write was repeated.
      acknowledged += 1;
    }
    return { audit: { acknowledged }, violations };
  });
}

/** Handles append, compact, expand and read concurrently. */
export async function orderCalls(runs: number): Promise<FileReport> {
  return sumOver(runs, () =>
    inFolder(async (path) => {
      const open = async () => {
        const store = sqliteStore({ path });
        return { store, close: async () => store.close() };
      };
      const load = { open, writers: 3, readers: 3, batches: 40 };
      const { calls, violations } = await linearizeLog(load);
      return { audit: { acknowledged: calls }, violations };
    }),
  );
}

/** Kills processes during erasures. */
export async function killErasers(kills: number): Promise<FileReport> {
  return inFolder(async (path) => {
    const { writes, violations } = await killInErasures(path, kills);
    return { audit: { acknowledged: writes }, violations };
  });
}

/** Returns the number of acknowledged writes, counted from `first`. */
async function writeUntilKilled(path: string, first: number, most: number): Promise<number> {
  const script = fileURLToPath(new URL("./mixed-writer.ts", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, path, String(first)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let count = 0;
  child.stdout.on("data", (acknowledgements: Buffer) => {
    count += acknowledgements.length;
    if (count >= most) setTimeout(() => child.kill("SIGKILL"), most % 4);
  });
  await new Promise((resolve) => child.once("close", resolve));
  return count;
}

/** Four processes write 100 batches each to one thread of one file. */
export async function writeTogether(runs: number): Promise<FileReport> {
  const names = ["w0", "w1", "w2", "w3"];
  const orders = { threadId: "t", batches: 100, largest: 20 };
  return sumOver(runs, () =>
    inFolder(async (path) => {
      await Promise.all(names.map((name) => startWriter(path, name, orders).ended));
      return lookAt(path, new Map(names.map((name) => [name, orders.batches])));
    }),
  );
}

/** Cuts the power of the disk during batches. Each cut has its own disk. */
export async function losePower(
  lazyfs: string,
  runs: number,
  survivesPowerLoss: boolean,
): Promise<FileReport> {
  return sumOver(runs, async (nth) => {
    const disk = await mountLazyfs(lazyfs);
    try {
      const path = join(disk.folder, "history.db");
      return await killAfter(path, nth, { survivesPowerLoss, cut: disk.cutPower });
    } finally {
      await disk.remove();
    }
  });
}

/** Some writers are killed after a checkpoint of the log, which occurs every 1,000 pages. */
async function killAfter(
  path: string,
  nth: number,
  power?: { readonly survivesPowerLoss: boolean; readonly cut: () => Promise<void> },
): Promise<FileReport> {
  const survivesPowerLoss = power?.survivesPowerLoss === true;
  const load = { threadId: "t", batches: 100_000, largest: 20, survivesPowerLoss };
  const writer = startWriter(path, "w", { ...load, killAfter: 20 + ((nth * 137) % 600) });
  await writer.ended;
  await power?.cut();
  return lookAt(path, new Map([["w", writer.acknowledged() + 1]]), power && !survivesPowerLoss);
}

async function lookAt(
  path: string,
  sent: ReadonlyMap<string, number>,
  mayLose = false,
): Promise<FileReport> {
  const store = sqliteStore({ path });
  const { entries, problems } = await store.read("t");
  const found = [...problems, ...(await store.verify("t"))];
  await store.close();
  const database = new DatabaseSync(path);
  const row = database.prepare("PRAGMA integrity_check").get();
  database.close();
  const { whole, torn, doubled, outOfOrder } = countBatches(entries);
  let [acknowledged, lost] = [0, 0];
  for (const [name, count] of sent) {
    acknowledged += count;
    lost += Math.max(0, count - (whole.get(name) ?? 0));
  }
  const broken = found.length + (row?.["integrity_check"] === "ok" ? 0 : 1);
  const faults = { torn, doubled, outOfOrder, broken, ...(!mayLose && { lost }) };
  const violations = Object.entries(faults).flatMap(([what, count]) =>
    count > 0 ? [`${what} ${count}`] : [],
  );
  return { audit: { acknowledged, ...(mayLose && { lost }) }, violations };
}

async function sumOver(
  runs: number,
  run: (nth: number) => Promise<FileReport>,
): Promise<FileReport> {
  let [acknowledged, lost] = [0, 0];
  const violations: string[] = [];
  for (let nth = 0; nth < runs; nth += 1) {
    const one = await run(nth);
    acknowledged += one.audit.acknowledged;
    lost += one.audit.lost ?? 0;
    violations.push(...one.violations);
  }
  return { audit: { acknowledged, lost }, violations };
}

async function inFolder<Result>(run: (path: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-faults-"));
  try {
    return await run(join(folder, "history.db"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
