import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eventually } from "../../../store-redis/test-support/eventually.ts";
import type { FaultReport } from "../../../store-redis/test-support/faults/fault-report.ts";
import { startLoad } from "../../../store-redis/test-support/faults/load.ts";
import type { Load } from "../../../store-redis/test-support/faults/load.ts";
import { addressOf } from "../open-store.ts";
import { startPostgresServer } from "../servers/start-postgres-server.ts";
import { reportOnRows } from "./report-on-rows.ts";

const MEGABYTES = 128;

/** Fills the server's disk (a separate one in memory) under load, frees space, and lets the writers continue. Needs the privilege to mount. */
export async function fillDisk(options: {
  readonly load: Omit<Load, "batches">;
  /** Number of times. */
  readonly times: number;
  readonly everyEntries: number;
}): Promise<FaultReport> {
  const { load, times, everyEntries } = options;
  using disk = mountDisk();
  // Postgres removes old write-ahead log instead of recycling it, so that freed space is really free.
  const settings = { wal_recycle: "off", max_wal_size: "32MB", min_wal_size: "32MB" };
  await using server = await startPostgresServer({ parent: disk.folder, settings });
  const address = addressOf(server.url);
  await using writers = await startLoad(address, load);
  const refusals = (): number => writers.failures.get("STORE_UNAVAILABLE rejected") ?? 0;
  for (let time = 0; time < times; time += 1) {
    await writers.acknowledgedMore(everyEntries);
    const before = refusals();
    disk.fill();
    // A write to an existing page may still succeed.
    await eventually("a write finds no room", () => refusals() > before || server.hasEnded());
    disk.makeRoom();
    if (server.hasEnded()) await server.start();
  }
  await writers.acknowledgedMore(everyEntries);
  await writers.finish("stop");
  return await reportOnRows(address, writers, { times });
}

interface Disk extends Disposable {
  readonly folder: string;
  readonly fill: () => void;
  readonly makeRoom: () => void;
}

function mountDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${MEGABYTES}m,mode=777`, "tmpfs", folder]);
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill: () => {
      const megabyte = Buffer.alloc(2 ** 20);
      try {
        for (;;) writeFileSync(ballast, megabyte, { flag: "a" });
      } catch {
        // The disk is full.
      }
    },
    makeRoom: () => rmSync(ballast),
    [Symbol.dispose]: () => {
      execFileSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
