import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

import { rootFolder } from "../../../../scripts/workspace-packages.ts";
import type { Measured, RunOptions } from "../harness.ts";

/** Runs the packages' own benches, which print what they found; with `--check` they fail where a promise is broken. */
export async function measurePackages({ isCheck, data }: RunOptions): Promise<Measured> {
  const benches = globSync("packages/*/bench/*.bench.ts", { cwd: rootFolder }).toSorted();
  const failed = benches.filter((bench) => {
    console.log(`## ${bench}\n`);
    const { status } = spawnSync(process.execPath, [bench, ...(isCheck ? ["--check"] : [])], {
      cwd: rootFolder,
      stdio: "inherit",
      env: { ...process.env, ...(data !== undefined && { AGENT_HISTORY_DATA: data }) },
    });
    return status !== 0;
  });
  return { tables: [], broken: failed.map((bench) => `${bench} failed.`) };
}
