import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";

import type { ResultTable } from "./harness.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** How a part was measured. */
export interface PartRun {
  readonly command: string;
  readonly minutes: number;
  /** Processes that wanted to run, on average over a minute, when the part began and when it ended. */
  readonly load: readonly [number, number];
}

/** Writes a part in Markdown: its tables, and how, when and where they were measured. */
export function partText(
  tables: readonly ResultTable[],
  { command, minutes, load }: PartRun,
): string {
  const date = new Date().toISOString().slice(0, 10);
  const loads = load.map((one) => one.toFixed(1)).join(" to ");
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${memory}, ${process.platform}, Node ${process.versions.node}`;
  const texts = tables.flatMap((table, index) => [
    ...(tables.length > 1 ? [`**${table.title}**`] : []),
    tableText(table),
    // Tables of one kind share a note.
    ...(table.note === tables[index + 1]?.note ? [] : [table.note]),
  ]);
  const run = `\`${command}\`, ${date}, ${minutes.toFixed(1)} minutes, load ${loads}; ${machine}.`;
  return [...texts, run].join("\n\n");
}

function tableText({ head, rows }: ResultTable): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** Writes a part to its place in the page of the documentation. */
export function keepInPage(name: string, text: string): void {
  const page = at("docs/benchmarks.md");
  writeFileSync(page, fillPage(readFileSync(page, "utf8"), name, text));
  execFileSync(at("node_modules/.bin/oxfmt"), [page]);
}

/** Puts a text between the marks of a part: `<!-- bench NAME -->` and `<!-- /bench -->`. */
export function fillPage(page: string, name: string, text: string): string {
  const mark = `<!-- bench ${name} -->\n`;
  const start = page.indexOf(mark) + mark.length;
  const end = page.indexOf("<!-- /bench -->", start);
  if (start < mark.length || end < 0) return page;
  return `${page.slice(0, start)}\n${text}\n\n${page.slice(end)}`;
}
