// Measures the packages side by side with what people use today.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { tableRows } from "./harness.ts";
import { measureParts, ON_REQUEST, PART_NAMES } from "./parts.ts";
import { writeResult } from "./report.ts";
import { peersFolder } from "./systems/all-systems.ts";

const HELP = `pnpm bench [options]

  --only ${PART_NAMES.join(",")}
                  measures these parts only
  --data FOLDER   recorded dialogues in place of generated ones, for evidence (or AGENT_HISTORY_DATA)
  --ours          downloads and measures nothing of others
  --quick         small sizes, few repeats, ours only: to see that everything works
  --check         fails where a promise is broken; runs the packages' own benches, too
  --keep          writes the results into results/results.json and docs/benchmarks.md
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    ours: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    data: { type: "string" },
    only: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(HELP);
else await run();

async function run(): Promise<void> {
  const { quick: isQuick, check: isCheck, keep, only } = values;
  const withPeers = !values.ours && !isQuick;
  if (withPeers) {
    const args = ["-y", "pnpm@12", "--dir", peersFolder, "install", "--frozen-lockfile"];
    execFileSync("npx", args, { stdio: ["ignore", "ignore", "inherit"] });
  }
  const data = values.data ?? process.env["AGENT_HISTORY_DATA"];
  const all = PART_NAMES.filter(
    (name) => !ON_REQUEST.has(name) || (isCheck && !isQuick && name === "packages"),
  );
  const broken = await measureParts(only?.split(",") ?? all, {
    isQuick,
    isCheck,
    isNamed: only !== undefined,
    withPeers,
    ...(data !== undefined && { data: resolve(data) }),
    onPart: (name, result) => {
      for (const table of result.tables)
        console.log(`## ${table.title}\n\n${tableRows(table)}\n\n${table.note}\n`);
      console.log(`Written to ${writeResult(name, result, keep && withPeers)}.\n`);
    },
  });
  for (const line of broken) console.error(line);
  if (isCheck && broken.length > 0) process.exitCode = 1;
}
