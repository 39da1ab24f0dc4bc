import { parseArgs } from "node:util";

import { fixtureProject } from "./fixture-project.ts";
import { runKilled } from "./run-demo.ts";

// Kills the demo in the midst of its work, many times, and looks what became of each session: `run-kills.ts [--runs 20]`.

const PACKAGES = 120;
const { values } = parseArgs({ options: { runs: { type: "string", default: "20" } } });
let failed = 0;
let kills = 0;
for (let run = 1; run <= Number(values.runs); run++) {
  using project = fixtureProject(PACKAGES);
  const { code, output, killed } = await runKilled(project.folder, { kills: 4 });
  const isWhole = code === 0 && output.includes(`\n${PACKAGES} of ${PACKAGES}, every call fits.`);
  kills += killed;
  if (!isWhole) failed += 1;
  process.stdout.write(
    `session ${run}: ${killed} kills, ${isWhole ? "whole" : `failed (${code})\n${output}`}\n`,
  );
}
process.stdout.write(`${values.runs} sessions, ${kills} kills, ${failed} with problems\n`);
process.exitCode = failed === 0 ? 0 : 1;
