import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startRedisServer } from "../packages/store-redis/test-support/servers/start-redis-server.ts";
import { tarballProblems } from "./tarball-problems.ts";
import { type ConsumerProject, createConsumerProject } from "./test-support/consumer-project.ts";
import { importAll, ownErrors, requireAll } from "./test-support/consumer-sources.ts";
import { publishedPackages, rootFolder } from "./workspace-packages.ts";

// Packs what would be published, installs it as a user does, and uses it: every file, every public entry, its types, and one program
// that needs all of it.

const packages = publishedPackages();
const entries = packages.flatMap((published) => published.entries);
const compiler = join(rootFolder, "node_modules/.bin/tsc");

/** The oldest Node of each package, installed beside it, and that of this workspace. */
const oldest = [...new Set(packages.map(({ oldestNode }) => oldestNode))].toSorted();
const runtimes = [
  ...oldest.map((version) => ({ version, path: `node_modules/node-${version}/bin/node` })),
  runtimeOfWorkspace("node"),
];

const program = "use-everything.ts";
const besideSdk = "use-sdk.mjs";
const onTheEdge = "use-on-the-edge.ts";
const bundler = ["--module", "esnext", "--moduleResolution", "bundler"];
const node = ["--types", "node"];

let project: ConsumerProject | undefined;
const run: ConsumerProject["run"] = async (...command) =>
  (await project?.run(...command)) ?? "no project";

beforeAll(async () => {
  const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  project = await createConsumerProject({
    files: ["list-exports.ts", program, besideSdk, onTheEdge],
    needs: {
      "@types/node": "^22.12.0",
      // One of the pairs of `chaos --installs`.
      ai: "^5.0.0",
      redis: "^5.0.0",
      ...Object.fromEntries(
        oldest.map((version) => [`node-${version}`, `npm:node-${platform}@${version}`]),
      ),
    },
  });
  writeFileSync(join(project.folder, "import-all.ts"), importAll(entries));
  writeFileSync(join(project.folder, "require-all.cts"), requireAll(entries));
  await tsc("--noCheck", "--module", "nodenext", ...node, "list-exports.ts", program);
});

afterAll(() => project?.remove());

describe("the tarballs", () => {
  it.each(packages)("of $name hold what users need and nothing else", ({ name }) => {
    const tarball = project?.tarballs.find((one) => one.name === name);

    expect(tarball && tarballProblems(tarball)).toEqual([]);
  });

  it("ask for Node 22.12, and 22.13 for its SQLite", () => {
    const others = packages.filter(({ oldestNode }) => oldestNode !== "22.12.0");

    expect(others.map(({ name, oldestNode }) => [name, oldestNode])).toEqual([
      ["agent-history", "22.13.0"],
      ["@agent-history/store-sqlite", "22.13.0"],
    ]);
  });
});

describe("the types of the packed packages", () => {
  it.each([
    ["NodeNext", ["--module", "nodenext", ...node, "import-all.ts", "require-all.cts", program]],
    ["a bundler", [...bundler, ...node, "import-all.ts", program]],
    // For runtimes that are no Node: nothing of ours asks for its types.
    [
      "a bundler, without Node",
      [...bundler, "--lib", "es2023,dom", "--types", "", "import-all.ts"],
    ],
  ])("resolve under %s, and are sound", async (_, options) => {
    const output = await tsc("--noEmit", "--strict", "--exactOptionalPropertyTypes", ...options);

    expect(ownErrors(output)).toEqual([]);
  });
});

describe.each(runtimes)("the packed packages on Node $version", ({ version, path }) => {
  let exportsOf: Record<string, { imported: string[]; required: string[] }> = {};

  beforeAll(async () => {
    const output = await run(path, ["list-exports.js", ...entriesOn(version)]);
    exportsOf = JSON.parse(output);
  });

  it("run on that Node", async () => {
    expect(await run(path, ["--version"])).toBe(`v${version}\n`);
  });

  it.each(entriesOn(version))("%s gives the same names to import and to require", (entry) => {
    const { imported, required } = exportsOf[entry] ?? {};

    expect(imported).not.toHaveLength(0);
    expect(required).toEqual(imported);
  });
});

const forAll = runtimes.filter(({ version }) => entriesOn(version).length === entries.length);

describe.each(forAll)("one program on Node $version", ({ version, path }) => {
  it("fits, filters, compresses, and keeps in SQLite and Redis", async () => {
    await using redis = await redisServer();
    const output = await run(path, ["use-everything.js"], {
      NAMESPACE: `agent-history-test-${randomUUID()}`,
      REDIS_URL: redis.url,
      SQLITE_PATH: `${version}.db`,
    });
    const kept = {
      version: 6,
      shown: ["system_message", "summary", "user_message"],
      isAsWritten: true,
    };

    expect(JSON.parse(output)).toEqual({
      fit: { lastMessage: "Good. Now fix it.", gaveWay: true, fits: true, violations: 0 },
      filter: ["t1"],
      compress: { givesBack: true },
      sqlite: kept,
      redis: kept,
    });
  });
});

describe("a bundle for browsers", () => {
  it("fits and keeps a thread in memory, without anything of Node's", async () => {
    const { outputFiles } = await build({
      entryPoints: [join(project?.folder ?? "", onTheEdge)],
      bundle: true,
      format: "iife",
      globalName: "program",
      platform: "browser",
      write: false,
    });
    const timers = { clearTimeout, setTimeout };
    const web = { crypto, performance, structuredClone, TextDecoder, TextEncoder };
    const page = createContext({ ...web, ...timers });
    runInContext(outputFiles[0]?.text ?? "", page);

    expect(await runInContext("program.answer().then(JSON.stringify)", page)).toBe(
      JSON.stringify(["user", "assistant", "user", "system_message", "user_message"]),
    );
  });
});

describe("an older AI SDK beside the packages", () => {
  it("is used with what it is new enough for, and told of the rest", async () => {
    const output = await run(process.execPath, [besideSdk, "ai"]);

    expect(JSON.parse(output)).toMatchObject({ needsNewer: [] });
  });
});

function runtimeOfWorkspace(name: string): { readonly version: string; readonly path: string } {
  const folder = join(rootFolder, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { version, path: join(folder, "bin/node") };
}

/** The entries of the packages that run on a version of Node. */
function entriesOn(version: string): string[] {
  return packages
    .filter(({ oldestNode }) => oldestNode.localeCompare(version, "en", { numeric: true }) <= 0)
    .flatMap((published) => published.entries.map(({ name }) => name));
}

/** Compiles in the project, with all libraries checked, and returns what the compiler said. */
function tsc(...options: string[]): Promise<string> {
  return run(compiler, ["--target", "es2023", "--skipLibCheck", "false", ...options]);
}

/** The server that was given, or one written in JavaScript, in this process. */
async function redisServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const given = process.env["REDIS_URL"];
  if (given !== undefined) return { url: given, [Symbol.asyncDispose]: async () => undefined };
  const server = await startRedisServer();
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}
