import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { fileURLToPath } from "node:url";

import { peersFolder } from "../systems/all-systems.ts";
import { markdownTable } from "./result-table.ts";
import type { ResultTable } from "./result-table.ts";

const folder = fileURLToPath(new URL("../../results/", import.meta.url));

/** How a run was made. */
export interface RunFacts {
  /** What stands after `pnpm bench`. */
  readonly args: readonly string[];
  /** The machine's load when it began: processes that wanted to run, on average over a minute. */
  readonly loadBefore: number;
  /**
   * `full`: a run of everything, which stands in the repository. `kept`: its tables take the places of those in the repository, each with the run that it
   * is of. `partial`: is written beside them and ignored.
   */
  readonly kind: "full" | "kept" | "partial";
  readonly withPeers: boolean;
}

/** Writes the tables as Markdown and as JSON. */
export function writeResults(tables: readonly ResultTable[], facts: RunFacts): string {
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const model = cpus()[0]?.model ?? "unknown";
  const machine = `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node ${process.versions.node}`;
  const [after = 0] = loadavg();
  const load = `${facts.loadBefore.toFixed(1)} at the beginning, ${after.toFixed(1)} at the end`;
  const command = `npx -y pnpm@12 bench ${facts.args.map(withoutPath).join(" ")}`.trim();
  const versions = facts.withPeers ? peerVersions() : {};
  const json = { date, machine, load, command, versions, tables };
  if (facts.kind !== "kept") return write(facts.kind === "full" ? "results" : "partial", json);
  const kept: Results = JSON.parse(readFileSync(`${folder}results.json`, "utf8"));
  const run = `Of another run: measured on ${date}, load ${load}. Repeat with \`${command}\`.`;
  return write("results", { ...kept, tables: replaceTables(kept.tables, tables, run) });
}

interface Results {
  readonly date: string;
  readonly machine: string;
  readonly load: string;
  readonly command: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly tables: readonly ResultTable[];
}

/** Puts tables into the places of those of their titles, or behind all, each with the run that it is of. */
export function replaceTables(
  kept: readonly ResultTable[],
  tables: readonly ResultTable[],
  run: string,
): readonly ResultTable[] {
  const left = new Map(tables.map((table) => [table.title, { ...table, run }]));
  const replaced = kept.map((table) => {
    const other = left.get(table.title) ?? table;
    left.delete(table.title);
    return other;
  });
  return [...replaced, ...left.values()];
}

function write(name: string, results: Results): string {
  const { date, machine, load, command, versions, tables } = results;
  const listed = Object.entries(versions).map(([peer, version]) => `${peer} ${version}`);
  const head = [
    `# Measured on ${date}`,
    `${machine}; load ${load}. Repeat with \`${command}\`.`,
    ...(listed.length > 0 ? [`Beside: ${listed.join(", ")}.`] : []),
  ];
  const markdown = [...head, ...tables.map(markdownTable)].join("\n\n");
  writeFileSync(`${folder}${name}.md`, markdown);
  writeFileSync(`${folder}${name}.json`, `${JSON.stringify(results, undefined, 2)}\n`);
  return `${folder}${name}.md`;
}

function peerVersions(): Readonly<Record<string, string>> {
  const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(`${peersFolder}package.json`, "utf8"),
  );
  return manifest.dependencies;
}

/** A folder of data has another name on every machine. */
function withoutPath(argument: string): string {
  return argument.includes("/") ? "FOLDER" : argument;
}
