import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { publishedPackages, rootFolder } from "./workspace-packages.ts";

// Packs what would be published, installs it as a user does, and imports every public entry.

const packages = publishedPackages();
const entries = packages.flatMap((published) => published.entries).map(({ name }) => name);
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "agent-history-packed-"));
  const tarballs = packages.map((published) => pack(published.folder));
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...tarballs, ...peers()], {
    cwd: folder,
    stdio: "pipe",
  });
  writeFileSync(join(folder, "probe.mjs"), probe);
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe.each(["node22", "node"])("the packed packages on %s", (runtime) => {
  let exportsOf: Record<string, { imported: string[]; required: string[] }> = {};

  beforeAll(() => {
    const node = join(rootFolder, "node_modules", runtime, "bin/node");
    const output = execFileSync(node, ["probe.mjs", ...entries], { cwd: folder, encoding: "utf8" });
    exportsOf = JSON.parse(output);
  });

  it.each(entries)("%s gives the same names to import and to require", (entry) => {
    const { imported, required } = exportsOf[entry] ?? {};

    expect(imported).not.toHaveLength(0);
    expect(required).toEqual(imported);
  });
});

function pack(packageFolder: string): string {
  const options = ["pack", "--json", "--pack-destination", folder];
  const output = execFileSync("pnpm", options, { cwd: packageFolder, encoding: "utf8" });
  return JSON.parse(output).filename;
}

/** The optional peers, which a user installs for the entries that need them. */
function peers(): string[] {
  return packages.flatMap((published) =>
    Object.entries(published.peers).map(([name, range]) => `${name}@${range}`),
  );
}

const probe = `
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const exportsOf = {};
for (const entry of process.argv.slice(2)) {
  const imported = Object.keys(await import(entry));
  const required = Object.keys(require(entry)).filter((name) => name !== "__esModule");
  exportsOf[entry] = { imported, required };
}
console.log(JSON.stringify(exportsOf));
`;
