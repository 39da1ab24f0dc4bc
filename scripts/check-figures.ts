import { readFileSync } from "node:fs";
import { join } from "node:path";

import { tableRows } from "./table-rows.ts";
import { rootFolder } from "./workspace-packages.ts";

/**
 * Holds the first page to what was measured: where a row of its tables begins with the name of a system of the benchmarks, one row
 * of that system in their results has all its figures, in this order.
 */

const measured = tableRows(read("apps/benchmarks/results/results.md"));
const systems = new Set(measured.flat().filter((cell) => /[a-z]{4}/i.test(cell)));

const rows = tableRows(read("README.md")).filter(([name = ""]) => systems.has(name));
const problems = rows.filter((row) => !measured.some((cells) => standIn(row, cells)));

for (const row of problems) console.error(`README.md was not measured: ${row.join(" | ")}`);
console.log(`${rows.length} rows of figures, ${problems.length} problems`);
if (rows.length === 0 || problems.length > 0) process.exitCode = 1;

function read(file: string): string {
  return readFileSync(join(rootFolder, file), "utf8");
}

/** Whether the parts stand among the cells, in their order. */
function standIn(parts: readonly string[], cells: readonly string[]): boolean {
  const [first, ...others] = parts;
  if (first === undefined) return true;
  const index = cells.indexOf(first);
  return index !== -1 && standIn(others, cells.slice(index + 1));
}
