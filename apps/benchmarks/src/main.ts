// Measures the packages side by side with what people use today.
import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { measurePart, PART_NAMES } from "./parts.ts";
import { keepInPage, partText } from "./report.ts";
import { peersFolder } from "./systems/all-systems.ts";

const HELP = `pnpm bench [options]

  --only ${PART_NAMES.join(",")}
                  measures these parts only
  --data FOLDER   recorded dialogues, for evidence (or AGENT_HISTORY_DATA)
  --ours          downloads and measures nothing of others
  --quick         small sizes, few repeats, ours only: to see that everything works
  --check         fails where a promise is broken; runs the packages' own benches, too
  --keep          writes the results into docs/benchmarks.md
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
  const given = data === undefined ? {} : { data: resolve(data) };
  const options = { isQuick, isCheck, isNamed: only !== undefined, withPeers, ...given };
  const isAsked = (name: string): boolean =>
    name === "packages" ? isCheck && !isQuick : name !== "evidence" || data !== undefined;
  const broken: string[] = [];
  for (const name of only?.split(",") ?? PART_NAMES.filter(isAsked)) {
    const [start, before = 0] = [performance.now(), loadavg()[0]];
    const measured = await measurePart(name, options);
    const text = partText(measured.tables, {
      command: `npx -y pnpm@12 bench --only ${name}${name === "evidence" ? " --data FOLDER" : ""}`,
      minutes: (performance.now() - start) / 60_000,
      load: [before, loadavg()[0] ?? 0],
    });
    console.log(`# ${name}\n\n${text}\n`);
    if (keep && withPeers) keepInPage(name, text);
    broken.push(...(measured.broken ?? []));
  }
  for (const line of broken) console.error(line);
  if (isCheck && broken.length > 0) process.exitCode = 1;
}
