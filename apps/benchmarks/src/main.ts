// Measures the packages side by side with what people use today, and writes a Markdown table and JSON.
import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { measureParts, ON_REQUEST, PART_NAMES } from "./parts/measure-parts.ts";
import { markdownTable } from "./report/result-table.ts";
import { writeResults } from "./report/write-results.ts";
import { peersFolder } from "./systems/all-systems.ts";

const HELP = `pnpm bench [options]

  --only ${PART_NAMES.join(",")}
                  measures these parts only
  --data FOLDER   recorded conversations beside the generated ones (or AGENT_HISTORY_DATA)
  --ours          downloads and measures nothing of others
  --quick         small sizes, few repeats, ours only: to see that everything works
  --check         fails where a promise is broken
  --keep          with --only: the tables take their places in results/results.md, each with its own date and load
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
  const { quick: isQuick, check: isCheck, ours } = values;
  const withPeers = !ours && !isQuick;
  const isFullCheck = isCheck && !isQuick;
  if (withPeers) installPeers();
  const data = values.data ?? process.env["AGENT_HISTORY_DATA"];
  const all = PART_NAMES.filter(
    (name) => !ON_REQUEST.has(name) || (isFullCheck && name === "packages"),
  );
  const names = values.only?.split(",") ?? all;
  const [loadBefore = 0] = loadavg();
  const options = {
    isQuick,
    isCheck,
    withPeers,
    withRedis: true,
    ...(data !== undefined && { data: resolve(data) }),
  };
  const { tables, broken } = await measureParts(names, options, (table) =>
    console.log(markdownTable(table)),
  );
  const isFull = withPeers && values.only === undefined;
  const isKept = withPeers && values.only !== undefined && values.keep;
  const kind = isFull ? "full" : isKept ? "kept" : "partial";
  const args = process.argv.slice(2);
  console.log(`Written to ${writeResults(tables, { args, loadBefore, kind, withPeers })}.`);
  for (const line of broken) console.error(line);
  if (isCheck && broken.length > 0) process.exitCode = 1;
}

function installPeers(): void {
  const args = ["-y", "pnpm@12", "--dir", peersFolder, "install", "--frozen-lockfile"];
  execFileSync("npx", args, { stdio: ["ignore", "ignore", "inherit"] });
}
