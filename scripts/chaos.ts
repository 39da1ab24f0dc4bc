import { parseArgs } from "node:util";

import { runClones } from "./run-clones.ts";
import { runFaults } from "./run-faults.ts";
import { runFits } from "./run-fits.ts";
import { runKills } from "./run-kills.ts";
import { runMutations } from "./run-mutations.ts";
import { runSuites } from "./run-suites.ts";

/** Breaks the project on purpose and looks whether the tests notice; breaks servers and looks whether the stores hold. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutations: { type: "boolean", default: false },
    redis: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
    sqlite: { type: "boolean", default: false },
    demo: { type: "boolean", default: false },
    clones: { type: "boolean", default: false },
    whole: { type: "boolean", default: false },
    suites: { type: "boolean", default: false },
    fits: { type: "string" },
    seed: { type: "string" },
    state: { type: "string" },
    replay: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log("pnpm chaos                        everything below");
  console.log("pnpm chaos --mutations [word …]   applies each patch of chaos/mutations, or those");
  console.log("                                  whose names hold one of the words, to a copy");
  console.log("pnpm chaos --redis [word …]       kills, freezes, fills and cuts off real servers");
  console.log("pnpm chaos --postgres [word …]    kills, fills and cuts off a real Postgres server");
  console.log(
    "pnpm chaos --sqlite [word …]      kills writers of a file; cuts the power of its disk where",
  );
  console.log("                                  AGENT_HISTORY_LAZYFS names the program of LazyFS");
  console.log(
    "pnpm chaos --demo                 kills the demo in the midst of its work, 20 times",
  );
  console.log(
    "pnpm chaos --fits N [--seed S]    fits N generated histories, changes old messages in a",
  );
  console.log(
    "                                  third of them, and judges what comes out; goes on",
  );
  console.log("                                  where it was stopped (--state FILE)");
  console.log(
    "pnpm chaos --clones [word …]      runs what a contributor to one package types first, each in a",
  );
  console.log(
    "                                  fresh clone; --whole runs the README's test command too",
  );
  console.log(
    "pnpm chaos --suites [word …]      counts the tests of the suite of all stores on each",
  );
  console.log("                                  store and server, or on those named");
  console.log("pnpm chaos --replay SEED          one of them again, as small as it still fails");
} else if (values.suites) {
  process.exitCode = runSuites(positionals) ? 0 : 1;
} else {
  const { fits, seed, state, replay } = values;
  const hasFits = fits !== undefined || replay !== undefined;
  const { mutations, redis, postgres, sqlite, demo, clones } = values;
  const isAll = !mutations && !redis && !postgres && !sqlite && !demo && !clones && !hasFits;
  const sound = hasFits || isAll ? runFits({ fits, seed, state, replay }) : true;
  const stood = redis || isAll ? runFaults("store-redis", positionals) : true;
  const held = postgres || isAll ? runFaults("store-postgres", positionals) : true;
  const kept = sqlite || isAll ? runFaults("store-sqlite", positionals) : true;
  const noticed = mutations || isAll ? runMutations(positionals) === 0 : true;
  const resumed = demo || isAll ? runKills() : true;
  const started =
    clones || isAll
      ? await runClones({ words: positionals, isWhole: values.whole || isAll })
      : true;
  process.exitCode = sound && stood && held && kept && noticed && resumed && started ? 0 : 1;
}
