// Measures the packages side by side with what people use today, and writes a Markdown table and JSON.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { measureParts, PART_NAMES } from "./parts/measure-parts.ts";
import { markdownTable } from "./report/result-table.ts";
import { peersFolder } from "./systems/all-systems.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    ours: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    data: { type: "string", ...(process.env["AGENT_HISTORY_DATA"] && { default: process.env["AGENT_HISTORY_DATA"] }) },
    only: { type: "string", default: PART_NAMES.join(",") },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(`pnpm bench [--quick] [--ours] [--data FOLDER] [--only ${PART_NAMES.join(",")}] [--check]`);
} else {
  if (!values.ours) installPeers();
  const { tables, broken } = await measureParts({
    isQuick: values.quick,
    withPeers: !values.ours,
    only: values.only.split(","),
    ...(values.data !== undefined && { data: values.data }),
    onTable: (table) => console.log(markdownTable(table)),
  });
  writeResults(tables);
  for (const line of broken) console.error(line);
  if (values.check && broken.length > 0) process.exitCode = 1;
}

function installPeers(): void {
  const args = ["-y", "pnpm@12", "--dir", peersFolder, "install", "--frozen-lockfile"];
  execFileSync("npx", args, { stdio: ["ignore", "ignore", "inherit"] });
}

function writeResults(tables: Awaited<ReturnType<typeof measureParts>>["tables"]): void {
  const folder = fileURLToPath(new URL("../results/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const [{ model = "unknown" } = {}] = cpus();
  const machine = `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const date = new Date().toISOString().slice(0, 10);
  const command = `npx pnpm@12 bench ${process.argv.slice(2).map(withoutPath).join(" ")}`.trim();
  const head = `# Measured on ${date}\n\n${machine}. Repeat with \`${command}\`.\n\n`;
  writeFileSync(`${folder}results.md`, head + tables.map(markdownTable).join("\n"));
  writeFileSync(
    `${folder}results.json`,
    `${JSON.stringify({ date, machine, command, tables }, undefined, 2)}\n`,
  );
}

/** A folder of data has another name on every machine. */
function withoutPath(argument: string): string {
  return argument.includes("/") ? "FOLDER" : argument;
}
