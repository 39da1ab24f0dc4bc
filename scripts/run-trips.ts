import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { trips } from "./trips/trips.ts";
import { rootFolder } from "./workspace-packages.ts";

/** The functions that a trip ran, by file; one without a name is "". */
type Ran = Readonly<Record<string, readonly string[]>>;

/**
 * Runs each trip through the packages under V8's coverage and writes to `chaos/trips.md` which files and functions took part: what a reader of the
 * code goes through. Loading the modules does not count.
 */
export function runTrips(): void {
  const ran = Object.keys(trips).map((name) => [name, ranOn(name)] as const);
  const rows = ran.map(([name, files]) => `| ${[name, ...countsOf(files)].join(" | ")} |`);
  const table = [
    "| trip | files | functions with a name | all functions | packages |",
    "| ---- | ----: | --------------------: | ------------: | -------- |",
    ...rows,
  ];
  const details = ran.flatMap(([name, files]) => [`## ${name}`, "", ...linesOf(files), ""]);
  const head =
    "# Trips\n\nWhat one call runs through: `npx -y pnpm@12 chaos --trips` writes this page.\n";
  const text = [head, ...table, "", ...details].join("\n");
  writeFileSync(join(rootFolder, "chaos/trips.md"), text);
  console.log(table.join("\n"));
}

function ranOn(name: string): Ran {
  const script = join(rootFolder, "scripts/trips/measure-trip.ts");
  const given = ["--conditions=@agent-history/source", script, name];
  const { status, stdout, stderr } = spawnSync("node", given, { encoding: "utf8" });
  if (status !== 0) throw new Error(`The trip ${name} failed:\n${stderr}`);
  return JSON.parse(stdout);
}

function countsOf(files: Ran): readonly (number | string)[] {
  const names = Object.values(files).flat();
  const packages = new Set(Object.keys(files).map((path) => path.split("/")[1] ?? ""));
  return [
    Object.keys(files).length,
    names.filter((name) => name !== "").length,
    names.length,
    [...packages].toSorted().join(", "),
  ];
}

function linesOf(files: Ran): readonly string[] {
  return Object.entries(files)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, names]) => {
      const named = names.filter((name) => name !== "");
      const unnamed = names.length - named.length;
      const others = unnamed === 0 ? [] : [`${unnamed} without a name`];
      return `- ${path}: ${[...named, ...others].join(", ")}`;
    });
}
