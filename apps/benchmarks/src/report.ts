import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { fileURLToPath } from "node:url";

import { tableRows } from "./harness.ts";
import type { ResultTable } from "./harness.ts";

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The page of the documentation that shows the results, between `<!-- bench NAME -->` and `<!-- /bench -->`. */
const PAGE = at("../../docs/benchmarks.md");

/** One part, as it was measured. */
export interface PartResult {
  readonly date: string;
  readonly machine: string;
  /** Processes that wanted to run, on average over a minute, when the part began and when it ended. */
  readonly load: readonly [number, number];
  readonly minutes: number;
  readonly command: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly tables: readonly ResultTable[];
}

/** Results by the name of their part. */
export type Results = Readonly<Record<string, PartResult>>;

/** Starts a part; call what is returned when it is measured. */
export function startPart(
  command: string,
  withPeers: boolean,
): (tables: readonly ResultTable[]) => PartResult {
  const start = performance.now();
  const [before = 0] = loadavg();
  return (tables) => ({
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node ${process.versions.node}`,
    load: [before, loadavg()[0] ?? 0],
    minutes: (performance.now() - start) / 60_000,
    command,
    versions: withPeers
      ? JSON.parse(readFileSync(at("peers/package.json"), "utf8")).dependencies
      : {},
    tables,
  });
}

/** Writes a part to its place in `results/latest.json`; with `isKept` in `results/results.json` and in the page of the documentation. */
export function writeResult(name: string, result: PartResult, isKept: boolean): string {
  mkdirSync(at("results"), { recursive: true });
  const file = at(`results/${isKept ? "results" : "latest"}.json`);
  const before: Results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const results: Results = { ...before, [name]: result };
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  if (!isKept) return file;
  writeFileSync(PAGE, fillPage(readFileSync(PAGE, "utf8"), results));
  execFileSync(at("../../node_modules/.bin/oxfmt"), [PAGE]);
  return PAGE;
}

/** Puts each part's tables between its marks. */
export function fillPage(page: string, results: Results): string {
  return page.replaceAll(
    /(<!-- bench (?<name>[a-z]+) -->\n)[\s\S]*?(<!-- \/bench -->)/g,
    (block: string, begin: string, name: string, end: string) => {
      const result = results[name];
      return result === undefined ? block : `${begin}\n${partText(result)}\n\n${end}`;
    },
  );
}

function partText({ date, machine, load, minutes, command, tables }: PartResult): string {
  const loads = load.map((one) => one.toFixed(1)).join(" to ");
  const run = `\`${command}\`, ${date}, ${minutes.toFixed(1)} minutes, load ${loads}; ${machine}.`;
  const texts = tables.flatMap((table, index) => [
    ...(tables.length > 1 ? [`**${table.title}**`] : []),
    tableRows(table),
    // Tables of one kind share a note.
    ...(table.note === tables[index + 1]?.note ? [] : [table.note]),
  ]);
  return [...texts, run].join("\n\n");
}
