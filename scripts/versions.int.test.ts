import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { type PackageRegistry, servePackages } from "./package-registry.ts";
import {
  rehearseVersions,
  type RehearsedPackage,
  type VersionRehearsal,
} from "./version-rehearsal.ts";
import { publishedPackages } from "./workspace-packages.ts";

const core = "@agent-history/core";
const names = publishedPackages()
  .map(({ name }) => name)
  .toSorted();

/**
 * Which packages are old, the others being recent. Of two packages the numbers differ in some bit: so each old version meets each recent one in a dozen
 * installs.
 */
const mixes = Array.from({ length: 2 * Math.ceil(Math.log2(names.length)) }, (_, nth) =>
  names.filter((__, index) => ((index >> (nth >> 1)) & 1) === (nth & 1)),
);

describe("a release", () => {
  let rehearsal: VersionRehearsal | undefined;
  afterEach(() => rehearsal?.remove());

  it.each([
    ["a patch", "patch", "1.0.1"],
    ["a minor", "minor", "1.1.0"],
  ])("with %s raises only what changed", (_, type, version) => {
    for (const name of ["@agent-history/filters", "@agent-history/store-kit", core]) {
      rehearsal = rehearseVersions("1.0.0");
      expect(rehearsal.raise({ [name]: type })).toEqual({ [name]: version });
      rehearsal.remove();
    }
    rehearsal = undefined;
  });

  it("with a major of core raises every package that stands on it", () => {
    rehearsal = rehearseVersions("1.0.0");

    expect(Object.keys(rehearsal.raise({ [core]: "major" })).toSorted()).toEqual(names);
  });

  it("is 1.0.0 for a package that was never released", () => {
    rehearsal = rehearseVersions();
    const unreleased = rehearsal.packages().filter(({ version }) => version === "0.0.0");
    rehearsal.raiseWaiting();
    const first = new Map(rehearsal.packages().map(({ name, version }) => [name, version]));

    for (const { name } of unreleased) expect([name, first.get(name)]).toEqual([name, "1.0.0"]);
  });
});

describe("packages of one major", () => {
  const old = new Map<string, RehearsedPackage>();
  const recent = new Map<string, RehearsedPackage>();
  let registry: PackageRegistry | undefined;

  beforeAll(async () => {
    const rehearsal = rehearseVersions("1.0.0");
    const released = rehearsal.packages();
    for (const one of rehearsal.packages()) old.set(one.name, one);
    // Core first, so that what is released after it asks for the newer one; then every second of the others by a patch.
    rehearsal.raise({ [core]: "minor" });
    rehearsal.raise(
      Object.fromEntries(
        names
          .filter((name) => name !== core)
          .map((name, index) => [name, index % 2 === 0 ? "patch" : "minor"]),
      ),
    );
    for (const one of rehearsal.packages()) recent.set(one.name, one);
    rehearsal.remove();
    registry = await servePackages([...released, ...recent.values()]);
  });
  afterAll(() => registry?.[Symbol.asyncDispose]());

  it.each(mixes.map((odd, nth) => ({ odd, nth })))(
    "bring one core in a mix of old and recent: $nth",
    async ({ odd }) => {
      const wanted = names
        .filter((name) => name !== core || odd.includes(core))
        .map((name) => (odd.includes(name) ? old : recent).get(name))
        .filter((one) => one !== undefined);

      const installed = await resolveInstall(registry?.url ?? "", wanted);

      expect(installed.filter((path) => path.endsWith(`node_modules/${core}`))).toEqual([
        `node_modules/${core}`,
      ]);
    },
  );

  it("meet in each pair of an old and a recent one", () => {
    const pairs = names.flatMap((one) => names.map((other) => [one, other] as const));
    const isMet = ([one, other]: (typeof pairs)[number]): boolean =>
      one === other || mixes.some((odd) => odd.includes(one) && !odd.includes(other));

    expect(pairs.filter((pair) => !isMet(pair))).toEqual([]);
  });
});

/** The paths at which npm would install something, for a project that asks for these versions. */
async function resolveInstall(
  registry: string,
  wanted: readonly RehearsedPackage[],
): Promise<string[]> {
  const cwd = mkdtempSync(join(tmpdir(), "agent-history-mixed-"));
  try {
    const dependencies = Object.fromEntries(
      // Core with a caret, as npm writes it: a core held back by hand cannot serve a package that asks for a newer one.
      wanted.map(({ name, version }) => [name, name === core ? `^${version}` : version]),
    );
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true, dependencies }));
    const options = ["--package-lock-only", "--no-audit", "--no-fund", "--cache", join(cwd, "c")];
    await promisify(execFile)("npm", ["install", "--registry", registry, ...options], { cwd });
    const lock: { packages: object } = JSON.parse(
      readFileSync(join(cwd, "package-lock.json"), "utf8"),
    );
    return Object.keys(lock.packages);
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
