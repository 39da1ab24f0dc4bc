import { mkdirSync, readFileSync, globSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findFences } from "./find-examples.ts";
import { cloneFresh, type FreshClone } from "./test-support/fresh-clone.ts";
import { rootFolder } from "./workspace-packages.ts";

// Follows CONTRIBUTING.md and the recipes word by word in a fresh clone: writes the files that they show, and runs their commands, top to
// bottom. A command of a fence marked `fails` must fail. npx finds pnpm once; every command then runs that pnpm, since npx takes two seconds
// to come to the same answer.

const pnpm = "npx -y pnpm@12";
/** What takes minutes: proven to be accepted. `.ci/run` runs it whole. */
const inShort: ReadonlyMap<string, string> = new Map([
  [`${pnpm} test`, `${pnpm} test --dry=json`],
  [`${pnpm} check`, `${pnpm} check --help`],
  [`${pnpm} check --fix types lint format`, `${pnpm} check --fix format`],
  [
    `${pnpm} --dir packages/store-redis test:integration real-server`,
    `${pnpm} --dir packages/store-redis test:integration real-server -t "no such test"`,
  ],
  [`${pnpm} --dir packages/store-file test`, `${pnpm} --dir packages/store-file test -t append`],
  [`${pnpm} chaos --mutations filters-everybodys-instructions`, `${pnpm} chaos --help`],
  [
    `LAW_RUNS=10 ${pnpm} --dir packages/filters test filter-laws`,
    `LAW_RUNS=0.1 ${pnpm} --dir packages/filters test filter-laws`,
  ],
]);

interface Step {
  readonly kind: "file" | "command" | "failing command";
  /** The path of a file, or a command as the page has it. */
  readonly name: string;
  /** The text of a file, or what is run for a command. */
  readonly value: string;
}

const pages = ["CONTRIBUTING.md", ...recipes()]
  .map((page) => ({ page, steps: stepsOf(page) }))
  .filter(({ steps }) => steps.length > 0);

let clone: FreshClone | undefined;
let foundPnpm = pnpm;
beforeAll(async () => {
  clone = cloneFresh();
  // What is followed are the commands; the laws have their runs where they stand.
  clone.env["LAW_RUNS"] = "0.1";
  const { output } = await clone.run('npx -y -p pnpm@12 -c "command -v pnpm"');
  // If npx printed something else too, it is asked each time.
  const found = output.split("\n").find((line) => /^\/.*\/pnpm$/.test(line));
  if (found !== undefined) foundPnpm = `PATH=${dirname(found)}:$PATH ${found}`;
});
afterAll(() => clone?.[Symbol.dispose]());

describe.each(pages)("$page", ({ steps }) => {
  it.each(steps)("$kind: $name", async ({ kind, name, value }) => {
    if (clone === undefined) throw new Error("There is no clone.");
    if (kind === "file") {
      mkdirSync(dirname(join(clone.folder, name)), { recursive: true });
      writeFileSync(join(clone.folder, name), `${value}\n`);
      return;
    }
    const { output, hasPassed } = await clone.run(value.replaceAll(pnpm, foundPnpm));

    expect(hasPassed === (kind === "command") ? "" : output || "It passed.").toBe("");
  });
});

function recipes(): readonly string[] {
  return globSync("{packages/*,chaos}/CONTRIBUTING.md", { cwd: rootFolder }).toSorted();
}

function stepsOf(page: string): readonly Step[] {
  const text = readFileSync(join(rootFolder, page), "utf8");
  return findFences(text).flatMap(({ lang, meta: said, value }): readonly Step[] => {
    const meta = said?.split(/\s+/) ?? [];
    if (lang === "typescript") return [{ kind: "file", name: meta[0] ?? "", value }];
    if (lang !== "sh") return [];
    const kind = meta.includes("fails") ? "failing command" : "command";
    return value.split("\n").map((line) => {
      // What follows two spaces and a `#` is said to the reader.
      const name = line.replace(/ {2,}#.*$/, "").trim();
      return { kind, name, value: inShort.get(name) ?? name };
    });
  });
}
