import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { downloadOf, type InstallPacked, packToInstall } from "./test-support/install-packed.ts";
import { publishedPackages } from "./workspace-packages.ts";

// Each package by itself, as pnpm installs it: what it imports, it must ask for. Beside others a missing dependency would go unnoticed.

const packages = publishedPackages().map(({ name, entries }) => ({
  name,
  entries: entries.map((entry) => entry.name),
}));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-history-alone-")));
let install: InstallPacked;
beforeAll(() => {
  install = packToInstall(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Entries that are made for a peer, and what they lack without it. */
const madeFor: Readonly<Record<string, string>> = {
  "@agent-history/testkit/format": "vitest",
  "@agent-history/testkit/store": "vitest",
};

/** Prints what an entry exports, or which package it lacks. */
const importing = `const said = {};
for (const name of process.argv.slice(1)) {
  said[name] = await import(name).then(
    (entry) => Object.keys(entry).length,
    ({ message }) => /Cannot find package '(.*?)'/.exec(message)?.[1] ?? message,
  );
}
console.log(JSON.stringify(said));`;

describe("the tarball of a package, with what it asks for and nothing else", () => {
  it.each(packages)(
    "$name: each entry is imported without its optional peers",
    ({ name, entries }) => {
      const cwd = join(folder, name.replace("/", "-"));
      install(name, cwd);
      const options = ["--input-type=module", "--eval", importing, ...entries];
      const stdout = execFileSync(process.execPath, options, {
        cwd,
        encoding: "utf8",
        env: { ...process.env, NODE_OPTIONS: "" },
      });

      const said: Record<string, number | string> = JSON.parse(stdout);
      expect(Object.keys(said)).toEqual(entries);
      for (const entry of entries) {
        expect(said[entry]).toEqual(madeFor[entry] ?? expect.any(Number));
      }
    },
  );
});

describe("npm install agent-history", () => {
  it("downloads at most 35 MB", () => {
    const cwd = join(folder, "agent-history");
    install("agent-history", cwd);
    const location = join(cwd, "node_modules/agent-history");

    expect(downloadOf(location)).toBeGreaterThan(1_000_000);
    expect(downloadOf(location)).toBeLessThanOrEqual(35_000_000);
  });
});
