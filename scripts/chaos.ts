import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { runMutations } from "./run-mutations.ts";
import { rootFolder } from "./workspace-packages.ts";

/** Breaks the project on purpose and looks whether the tests notice; breaks servers and looks whether the stores hold. */

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    mutations: { type: "boolean" },
    tests: { type: "boolean" },
    redis: { type: "boolean" },
    postgres: { type: "boolean" },
    sqlite: { type: "boolean" },
    demo: { type: "boolean" },
    installs: { type: "boolean" },
    fits: { type: "string" },
    seed: { type: "string" },
    state: { type: "string" },
    replay: { type: "string" },
    help: { type: "boolean" },
  },
});

/** What each part runs, in which folder. */
const programs: Readonly<Record<string, readonly [folder: string, program: string]>> = {
  redis: ["packages/store-redis", "chaos/run-faults.ts"],
  postgres: ["packages/store-postgres", "chaos/run-faults.ts"],
  sqlite: ["packages/store-sqlite", "chaos/run-faults.ts"],
  demo: ["apps/demo-agent", "test-support/run-kills.ts"],
  installs: ["scripts", "run-installs.ts"],
  fits: ["apps/benchmarks", "src/chaos/run-fits.ts"],
};

if (values.help === true) {
  console.log(`pnpm chaos                        everything below
pnpm chaos --mutations [word …]   applies each patch of chaos/mutations, or those whose names hold
                                  one of the words, to a copy, and names the test that noticed
pnpm chaos --tests [word …]       the long tests, *.chaos.test.ts: further servers, long property
                                  runs, whole sessions; with words, those whose paths hold one
pnpm chaos --redis [word …]       kills, freezes, fills and cuts off real servers
pnpm chaos --postgres [word …]    kills, fills and cuts off a real Postgres server
pnpm chaos --sqlite [word …]      kills writers of a file; cuts the power of its disk where
                                  AGENT_HISTORY_LAZYFS names the program of LazyFS
pnpm chaos --demo                 kills the demo in the midst of its work, 20 times
pnpm chaos --installs [word …]    installs the packed packages beside old and new SDKs, with npm and
                                  with pnpm, and uses both together
pnpm chaos --fits N [--seed S]    fits N generated histories, old messages changed in a third of
                                  them, and judges what comes out; goes on where it was stopped
                                  (--state FILE)
pnpm chaos --replay SEED          one of them again, as small as it still fails`);
} else {
  const all = ["mutations", "tests", ...Object.keys(programs)];
  const chosen = all.filter((name) => name in values || (name === "fits" && "replay" in values));
  const results = (chosen.length > 0 ? chosen : all).map(run);
  process.exitCode = results.every((isSound) => isSound) ? 0 : 1;
}

/** Runs a part to its end and returns whether all was as promised. */
function run(name: string): boolean {
  if (name === "mutations") return runMutations(words) === 0;
  const [folder, program] = programs[name] ?? [];
  if (folder === undefined || program === undefined) return runTests();
  // The sources as they are: no build, and never an older one.
  const args = name === "fits" ? fitsOptions() : words;
  const node = ["--conditions=@agent-history/source", program, ...args];
  return runIn(folder, "node", node);
}

function runTests(): boolean {
  const files = globSync(["{packages,apps}/*/**/*.chaos.test.ts", "scripts/*.chaos.test.ts"], {
    cwd: rootFolder,
    exclude: ["**/node_modules/**"],
  }).filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  const folders = Map.groupBy(files, (file) =>
    file.startsWith("scripts/") ? "scripts" : file.split("/").slice(0, 2).join("/"),
  );
  const config = ["run", "--config", join(rootFolder, "vitest.config.ts"), "--mode", "chaos"];
  return [...folders]
    .map(([folder, own]) =>
      runIn(folder, "vitest", [...config, ...own.map((file) => file.slice(folder.length + 1))]),
    )
    .every((hasPassed) => hasPassed);
}

function fitsOptions(): readonly string[] {
  const { fits = "20000", seed, state, replay } = values;
  return Object.entries({ fits, seed, state, replay }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
}

function runIn(folder: string, command: string, args: readonly string[]): boolean {
  const options = { cwd: join(rootFolder, folder), stdio: "inherit" } as const;
  return spawnSync(command, args, options).status === 0;
}
