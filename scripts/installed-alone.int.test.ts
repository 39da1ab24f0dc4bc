import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { packPackages } from "./pack-packages.ts";
import { publishedPackages, rootFolder } from "./workspace-packages.ts";

// Each package by itself in an empty folder: what it imports, it must ask for. Beside others a missing dependency would go unnoticed.

interface Needs {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const packages = new Map(publishedPackages().map((one) => [one.name, one]));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-history-alone-")));
const packed = new Map<string, string>();
beforeAll(() => {
  for (const { name, file } of packPackages(rootFolder, folder)) packed.set(name, file);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the tarball of a package, with what it asks for and nothing else", () => {
  it.each([...packages.keys()])("%s is imported without its optional peers", (name) => {
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
    const sizes = [...closureOf(join(cwd, "node_modules/agent-history"))].map(sizeOf);

    expect(sizes.length).toBeGreaterThan(packages.size / 2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(35_000_000);
  });
});

/** A package and all that it needs, by their real folders. */
function closureOf(place: string, found = new Set<string>()): Set<string> {
  const real = realpathSync(place);
  if (found.has(real)) return found;
  found.add(real);
  for (const needed of needsOf(real)) {
    const nested = join(real, "node_modules", needed);
    const beside = join(real.slice(0, real.lastIndexOf("node_modules")), "node_modules", needed);
    closureOf(existsSync(nested) ? nested : beside, found);
  }
  return found;
}

/** The bytes of a package as an archive, as a registry sends it: at least as many, since little time is spent on it. */
function sizeOf(place: string): number {
  const options = ["-I", "gzip -1", "-cf", "-", "--exclude=node_modules", "-C", place, "."];
  return execFileSync("tar", options, { maxBuffer: Infinity }).length;
}

/** Unpacks a package and those of this workspace that it asks for; what comes from outside is linked. */
function install(name: string, cwd: string): void {
  const place = join(cwd, "node_modules", name);
  if (existsSync(place)) return;
  mkdirSync(place, { recursive: true });
  const home = packages.get(name)?.folder ?? "";
  execFileSync("tar", ["-xzf", packed.get(name) ?? "", "-C", place, "--strip-components=1"]);
  for (const needed of needsOf(place)) {
    if (packages.has(needed)) install(needed, cwd);
    else link(realpathSync(join(home, "node_modules", needed)), join(cwd, "node_modules", needed));
  }
}

/** What a user gets with a package: its dependencies, and the peers that are not optional. */
function needsOf(place: string): string[] {
  const manifest: Needs = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies);
  const due = peers.filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  return [...Object.keys(dependencies), ...due];
}

function link(target: string, path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
