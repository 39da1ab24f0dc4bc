import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/**
 * Makes faults happen to the servers of store-redis, all of them or those whose names hold one of the words, and prints a
 * table of what became of the entries.
 *
 * @returns Whether every promise was kept.
 */
export function runFaults(words: readonly string[]): boolean {
  const folder = join(rootFolder, "packages/store-redis");
  const options = { cwd: folder, stdio: "inherit" } as const;
  const isBuilt = spawnSync("tsc", ["-b", "tsconfig.build.json"], options).status === 0;
  return isBuilt && spawnSync("node", ["chaos/run-faults.ts", ...words], options).status === 0;
}
