import { parseArgs } from "node:util";

import { runFaults } from "./run-faults.ts";
import { runKills } from "./run-kills.ts";
import { runMutations } from "./run-mutations.ts";

/** Breaks the project on purpose and looks whether the tests notice; breaks servers and looks whether the stores hold. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutations: { type: "boolean", default: false },
    redis: { type: "boolean", default: false },
    demo: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log("pnpm chaos                        everything below");
  console.log("pnpm chaos --mutations [word …]   applies each patch of chaos/mutations, or those");
  console.log("                                  whose names hold one of the words, to a copy");
  console.log("pnpm chaos --redis [word …]       kills, freezes, fills and cuts off real servers");
  console.log(
    "pnpm chaos --demo                 kills the demo in the midst of its work, 20 times",
  );
} else {
  const isAll = !values.mutations && !values.redis && !values.demo;
  const stood = values.redis || isAll ? runFaults(positionals) : true;
  const noticed = values.mutations || isAll ? runMutations(positionals) === 0 : true;
  const resumed = values.demo || isAll ? runKills() : true;
  process.exitCode = stood && noticed && resumed ? 0 : 1;
}
