import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/**
 * Makes faults happen to the servers or files of a store, all of them or those whose names hold one of the words, and prints a
 * table of what became of the entries.
 *
 * @returns Whether every promise was kept.
 */
export function runFaults(
  store: "store-redis" | "store-postgres" | "store-sqlite",
  words: readonly string[],
): boolean {
  const folder = join(rootFolder, "packages", store);
  const args = ["--conditions=@agent-history/source", "chaos/run-faults.ts", ...words];
  return spawnSync("node", args, { cwd: folder, stdio: "inherit" }).status === 0;
}
