import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/**
 * Kills processes of the demo at random moments and lets others go on.
 *
 * @returns Whether each thread came to the state that it comes to without being killed.
 */
export function runKills(): boolean {
  const folder = join(rootFolder, "apps/demo-agent");
  const options = { cwd: folder, stdio: "inherit" } as const;
  const isBuilt = spawnSync("tsc", ["-b", "tsconfig.build.json"], options).status === 0;
  return isBuilt && spawnSync("node", ["chaos/run-kills.ts"], options).status === 0;
}
