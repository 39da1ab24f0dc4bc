import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { downloadOf, type InstallPacked, packToInstall } from "./install-packed.ts";
import { publishedPackages } from "./workspace-packages.ts";

// Each package by itself in an empty folder: what it imports, it must ask for. Beside others a missing dependency would go unnoticed.

const names = publishedPackages().map(({ name }) => name);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-history-alone-")));
let install: InstallPacked;
beforeAll(() => {
  install = packToInstall(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the tarball of a package, with what it asks for and nothing else", () => {
  it.each(names)("%s is imported without its optional peers", (name) => {
    const cwd = join(folder, name.replace("/", "-"));
    install(name, cwd);
    const program = `console.log(Object.keys(await import("${name}")).length)`;
    const stdout = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      cwd,
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "" },
    });

    expect(Number(stdout)).toBeGreaterThan(0);
  });
});

describe("npm install agent-history", () => {
  it("downloads at most 35 MB", () => {
    const cwd = join(folder, "agent-history");
    install("agent-history", cwd);
    const place = join(cwd, "node_modules/agent-history");

    expect(existsSync(join(cwd, "node_modules/@agent-history/core"))).toBe(true);
    expect(downloadOf(place)).toBeGreaterThan(1_000_000);
    expect(downloadOf(place)).toBeLessThanOrEqual(35_000_000);
  });
});
