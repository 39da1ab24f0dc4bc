import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";

import { runMutations } from "./run-mutations.ts";
import { rootFolder } from "./workspace-packages.ts";

/** Breaks the project on purpose and looks whether the tests notice; breaks servers and looks whether the stores hold. */

/** Each runs one part to its end and returns whether all was as promised. */
const parts: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  mutations: (words) => runMutations(words) === 0,
  tests: runTests,
  redis: (words) => runIn("packages/store-redis", "test-support/run-faults.ts", words),
  postgres: (words) => runIn("packages/store-postgres", "test-support/run-faults.ts", words),
  sqlite: (words) => runIn("packages/store-sqlite", "test-support/run-faults.ts", words),
  demo: (words) => runIn("apps/demo-agent", "test-support/run-kills.ts", words),
  installs: (words) => runIn("scripts", "run-installs.ts", words),
  requests: () => runIn("apps/sdk-tests", "src/test-sdks.ts", ["whole", "--mode", "chaos"]),
  durable: () => runIn("apps/sdk-tests", "src/test-sdks.ts", ["durable", "--mode", "chaos"]),
  fits: ([count = "20000", ...options]) =>
    runIn("apps/benchmarks", "src/chaos/run-fits.ts", ["--fits", count, ...options]),
};

const [flag = "", ...rest] = process.argv.slice(2);
const part = parts[flag.replace(/^--/, "")];
if (part !== undefined) process.exitCode = part(rest) ? 0 : 1;
else if (flag === "") {
  process.exitCode = Object.values(parts).filter((one) => !one([])).length;
} else {
  if (flag !== "--help") process.exitCode = 1;
  console.log(`pnpm chaos                        everything below
pnpm chaos --mutations [word …]   applies each patch of chaos/mutations, or those whose names hold
                                  one of the words, to a copy, and names the test that noticed
pnpm chaos --tests [word …]       the long tests, *.chaos.test.ts: further servers, long property
                                  runs, whole sessions; with words, those whose paths hold one
pnpm chaos --redis [word …]       kills, freezes, fills and cuts off real servers; --postgres too
pnpm chaos --sqlite [word …]      kills writers of a file; cuts the power of its disk where
                                  AGENT_HISTORY_LAZYFS names the program of LazyFS
pnpm chaos --demo                 kills the demo in the midst of its work, 20 times
pnpm chaos --installs [word …]    rehearses a release to a registry of its own, and installs from
                                  there by npm and pnpm: alone, where the first example of each
                                  README runs, and beside old and new SDKs, used together
pnpm chaos --requests             compares counts with the bodies of 12,000 requests of the SDKs
pnpm chaos --durable              kills workers of DBOS in 1,000 calls of durable runs
pnpm chaos --fits N [--seed S]    fits N generated histories and judges what comes out; with
                                  --replay SEED one of them, as small as it still fails`);
}

function runTests(words: readonly string[]): boolean {
  const files = globSync(["{packages,apps}/*/**/*.chaos.test.ts", "scripts/*.chaos.test.ts"], {
    cwd: rootFolder,
    exclude: ["**/node_modules/**"],
  }).filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  const folders = Map.groupBy(files, (file) => /^(scripts|[^/]+\/[^/]+)/.exec(file)?.[0] ?? "");
  const config = ["--config", join(rootFolder, "vitest.config.ts"), "--mode", "chaos"];
  const failed = [...folders].filter(([folder, own]) => {
    const named = own.map((file) => file.slice(folder.length + 1));
    const options = { cwd: join(rootFolder, folder), stdio: "inherit" } as const;
    return spawnSync("vitest", ["run", ...config, ...named], options).status !== 0;
  });
  return files.length > 0 && failed.length === 0;
}

/** Runs a program on the sources as they are: no build, and never an older one. */
function runIn(folder: string, program: string, args: readonly string[]): boolean {
  const options = { cwd: join(rootFolder, folder), stdio: "inherit" } as const;
  const node = ["--conditions=@agent-history/source", program, ...args];
  return spawnSync("node", node, options).status === 0;
}
