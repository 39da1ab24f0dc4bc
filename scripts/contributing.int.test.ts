import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findFences } from "./find-examples.ts";
import { cloneFresh, type FreshClone } from "./fresh-clone.ts";
import { rootFolder } from "./workspace-packages.ts";

// Follows CONTRIBUTING.md word by word in a fresh clone: writes the files that it shows, and runs its commands, top to bottom. npx finds
// pnpm once; every command then runs that pnpm on the path that npx gives it, since npx takes two seconds to come to the same answer.

const pnpm = "npx -y pnpm@12";
/** What takes minutes, asks, or clones in turn: proven to be accepted. `check` runs it whole. */
const inShort: ReadonlyMap<string, string> = new Map([
  [`${pnpm} test`, `${pnpm} test --dry=json`],
  [`${pnpm} check`, `${pnpm} check --list`],
  [`${pnpm} check --fix`, `${pnpm} check --fix format`],
  [`${pnpm} check lint types`, `${pnpm} check --list lint types`],
  [
    `${pnpm} --dir packages/store-redis test:integration`,
    `${pnpm} --dir packages/store-redis test:integration oversize`,
  ],
  [
    `LAW_RUNS=10 ${pnpm} --dir packages/filters test filter-laws`,
    `LAW_RUNS=0.1 ${pnpm} --dir packages/filters test filter-laws`,
  ],
]);

interface Step {
  readonly kind: "file" | "command";
  /** The path of a file, or a command as the page has it. */
  readonly name: string;
  /** The text of a file, or what is run for a command. */
  readonly value: string;
}

const text = readFileSync(join(rootFolder, "CONTRIBUTING.md"), "utf8");
const steps = findFences(text).flatMap(({ lang, meta, value }): Step[] => {
  if (lang === "typescript") return [{ kind: "file", name: meta[0] ?? "", value }];
  if (lang !== "sh") return [];
  return value.split("\n").map((line) => {
    // What follows two spaces and a `#` is said to the reader.
    const name = line.replace(/ {2,}#.*$/, "").trim();
    return { kind: "command", name, value: inShort.get(name) ?? name };
  });
});

describe("CONTRIBUTING.md", () => {
  let clone: FreshClone | undefined;
  let foundPnpm = pnpm;
  beforeAll(async () => {
    clone = cloneFresh();
    // What is followed are the commands; the laws have their runs where they stand.
    clone.env["LAW_RUNS"] = "0.1";
    const { output } = await clone.run('npx -y -p pnpm@12 -c "command -v pnpm"');
    // Where npx has said something else too, it is asked each time.
    const found = output.split("\n").find((line) => /^\/.*\/pnpm$/.test(line));
    if (found !== undefined) foundPnpm = `PATH=${dirname(found)}:$PATH ${found}`;
  });
  afterAll(() => clone?.[Symbol.dispose]());

  it.each(steps)("$kind: $name", async ({ kind, name, value }) => {
    if (clone === undefined) throw new Error("There is no clone.");
    if (kind === "file") {
      mkdirSync(dirname(join(clone.folder, name)), { recursive: true });
      writeFileSync(join(clone.folder, name), `${value}\n`);
    } else {
      const { output, hasPassed } = await clone.run(value.replaceAll(pnpm, foundPnpm));

      expect(hasPassed ? "" : output).toBe("");
    }
  });

  it("shows files and commands", () => {
    const kinds = Map.groupBy(steps, ({ kind }) => kind);

    expect(kinds.get("file")?.length).toBeGreaterThan(3);
    expect(kinds.get("command")?.length).toBeGreaterThan(20);
  });

  it("gives every command that is cut short in the words of the page", () => {
    const names = new Set(steps.map(({ name }) => name));

    expect([...inShort.keys()].filter((command) => !names.has(command))).toEqual([]);
  });
});
