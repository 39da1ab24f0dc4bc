import process from "node:process";
import { parseArgs } from "node:util";

import { generateCase } from "./generate-case.ts";
import { replayCase } from "./replay-case.ts";
import { runCase } from "./run-case.ts";

// Fits generated histories and judges what comes out. Histories of another seed can run beside it, in another process.

const { values } = parseArgs({
  options: {
    fits: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    replay: { type: "string" },
  },
});

if (values.replay === undefined) run(Number(values.fits), Number(values.seed));
else for (const line of replayCase(Number(values.replay))) console.log(line);

function run(histories: number, seed: number): void {
  const seedsOf = new Map<string, number[]>();
  let calls = 0;
  for (let nth = 0; nth < histories; nth++) {
    const chaosCase = generateCase(caseSeed(seed, nth));
    calls += chaosCase.calls.length;
    for (const rule of new Set(runCase(chaosCase).map(({ law, rule: own }) => `${law} ${own}`)))
      seedsOf.set(rule, [...(seedsOf.get(rule) ?? []), chaosCase.seed]);
    if (nth % 10_000 === 9999) console.log(`${nth + 1} histories, ${seedsOf.size} rules broken`);
  }
  for (const [rule, seeds] of seedsOf)
    console.log(`${seeds.length}  ${rule}  --replay ${seeds.slice(0, 5).join(", ")}`);
  console.log(`${histories} histories, ${calls} calls: ${seedsOf.size || "no"} rules broken`);
  if (seedsOf.size > 0) process.exitCode = 1;
}

/** The seed of one history, which is enough to make it again. */
function caseSeed(seed: number, nth: number): number {
  const mixed = Math.imul(seed ^ 0x9e_37_79_b9, 0x85_eb_ca_6b);
  return (mixed + nth) >>> 0;
}
