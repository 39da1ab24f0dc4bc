import { globSync } from "node:fs";
import { cp, mkdtemp, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startRedisServer } from "../servers/start-redis-server.ts";
import { reportOn } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/**
 * Truncates the server's append-only file at random places and starts a server on each truncated file.
 *
 * Writes after the cut are lost, acknowledged or not; the rest must be consistent.
 */
export async function cutAof(options: {
  readonly load: Load & { readonly batches: number };
  readonly cuts: number;
  readonly random: () => number;
}): Promise<FaultReport> {
  const { load, cuts, random } = options;
  await using server = await startRedisServer({ appendonly: true });
  const address = { urls: [server.url], namespace: "aof" };
  await using writers = await startLoad(address, load);
  await writers.finish();
  const whole = await reportOn(address, writers, { cuts });
  await server.kill9();
  const found = new Set(whole.violations);
  let lost = 0;
  for (let cut = 0; cut < cuts; cut += 1) {
    const stump = await mkdtemp(join(tmpdir(), "agent-history-aof-"));
    try {
      await cp(server.dir, stump, { recursive: true });
      await cutLog(stump, random);
      await using restarted = await startRedisServer({ appendonly: true, dir: stump });
      const left = await reportOn({ ...address, urls: [restarted.url] }, writers, {});
      lost += left.audit.missing;
      for (const violation of left.violations.filter(isNoLoss))
        found.add(`cut ${cut}: ${violation}`);
    } finally {
      await rm(stump, { recursive: true, force: true });
    }
  }
  return { ...whole, figures: { ...whole.figures, "cut off": lost }, violations: [...found] };
}

/** Entries after the cut are missing; any other violation counts. */
function isNoLoss(violation: string): boolean {
  return !violation.endsWith(" missing");
}

async function cutLog(dir: string, random: () => number): Promise<void> {
  const logs = globSync(["appendonlydir/*.incr.aof", "*.aof"], { cwd: dir });
  const log = join(dir, logs.toSorted().at(-1) ?? "");
  const { size } = await stat(log);
  await truncate(log, Math.floor(size * random()));
}
