import { parseArgs } from "node:util";

import { runMutations } from "./run-mutations.ts";

/** Breaks the project on purpose and looks whether the tests notice. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { mutations: { type: "boolean", default: false } },
});

if (values.mutations) {
  const survived = runMutations(positionals);
  process.exitCode = survived === 0 ? 0 : 1;
} else {
  console.log("pnpm chaos --mutations [name …]  applies each patch of chaos/mutations, or those");
  console.log("                                 whose names hold one of the words, to a copy");
}
