import { join } from "node:path";
import { parseArgs, styleText } from "node:util";

import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";

import { describeKills } from "../test-support/describe-kills.ts";

/** Kills processes of the demo in the midst of a session, many times, and looks what became of the thread. `node chaos/run-kills.ts [--runs 20]` */

const { values } = parseArgs({ options: { runs: { type: "string", default: "20" } } });
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error("Expected --runs to be 1 or more.");

await using garden = await temporaryFolder(GARDEN_FILES);
await using cache = await temporaryFolder({});
let failed = 0;
let kills = 0;
const path = join(cache.path, "demo.db");
for await (const { name, run, problems } of describeKills({ folder: garden.path, path, runs })) {
  kills += run.kills;
  if (problems.length > 0) failed += 1;
  const verdict = problems.length === 0 ? styleText("green", "sound") : problems.join("; ");
  process.stdout.write(`${name}: ${verdict}\n`);
}
process.stdout.write(`\n${runs} sessions, ${kills} kills, ${failed} with problems\n`);
process.exitCode = failed === 0 ? 0 : 1;
