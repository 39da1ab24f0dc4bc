import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/** What `chaos` hands on to the fits. */
export interface FitsOptions {
  /** How many histories. Default 20,000. */
  readonly fits?: string | undefined;
  readonly seed?: string | undefined;
  /** The file from which a run that was stopped goes on. Default: one in the system's temporary folder. */
  readonly state?: string | undefined;
  /** Makes one history again in place of a run. */
  readonly replay?: string | undefined;
}

/**
 * Fits generated histories, edits and all, and holds what comes out against an oracle of its own.
 *
 * @returns Whether no law was broken.
 */
export function runFits({ fits = "20000", ...others }: FitsOptions): boolean {
  const folder = join(rootFolder, "apps/benchmarks");
  const options = { cwd: rootFolder, stdio: "inherit" } as const;
  const given = Object.entries({ fits, ...others }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  // The sources as they are: no build, and never an older one.
  const condition = "--conditions=@agent-history/source";
  const file = join(folder, "src/chaos/run-fits.ts");
  return spawnSync("node", [condition, file, ...given], options).status === 0;
}
