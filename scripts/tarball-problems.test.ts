import { describe, expect, it } from "vitest";

import { tarballProblems } from "./tarball-problems.ts";

const paths = [
  "LICENSE",
  "README.md",
  "package.json",
  "dist/index.js",
  "dist/index.js.map",
  "dist/index.d.ts",
  "dist/index.d.ts.map",
  "src/index.ts",
];
const manifest = {
  exports: { ".": "./dist/index.js", "./package.json": "./package.json" },
  scripts: { build: "tsc -b" },
  dependencies: { "@agent-history/core": "^0.1.0", zod: "4.6.7" },
  peerDependencies: { redis: "^5.0.0 || ^6.0.0", vitest: ">=3.0.0" },
};

describe("tarballProblems", () => {
  it("finds nothing where all is there and nothing else", () => {
    expect(tarballProblems({ paths, manifest })).toEqual([]);
    expect(tarballProblems({ paths: [...paths, "CHANGELOG.md"], manifest })).toEqual([]);
  });

  it.each([
    "src/index.test.ts",
    "src/faults/cut-aof.int.test.ts",
    "src/counters.bench.ts",
    "src/schema/__fixtures__/version-0.json",
    "src/__tests__/open.ts",
    "src/version-1.sql",
    "test-support/arbitrary-thread.ts",
    "src/test-support/arbitrary-thread.ts",
    "bench/store.bench.ts",
    "chaos/faults.ts",
    "dist/.tsbuildinfo",
    "dist/version-0.json",
    "tsconfig.json",
    ".env",
  ])("refuses %s", (path) => {
    expect(tarballProblems({ paths: [...paths, path], manifest })).toEqual([
      `${path} does not belong`,
    ]);
  });

  it.each(paths)("misses %s", (path) => {
    const others = paths.filter((other) => other !== path);

    expect(tarballProblems({ paths: others, manifest })).toContain(`${path} is missing`);
  });

  it("misses what its imports name", () => {
    const imports = { "#page-template": "./dist/page/template.js" };

    expect(tarballProblems({ paths, manifest: { ...manifest, imports } })).toEqual([
      "dist/page/template.js is missing",
    ]);
  });

  it.each([
    "dist/bundle/index.js",
    "dist/bundle/chunk-AB.js.map",
    "dist/page/template.js",
    "dist/page/licenses.txt",
    "bin/agent-history.js",
  ])("takes %s, which has no source of its own", (path) => {
    expect(tarballProblems({ paths: [...paths, path], manifest })).toEqual([]);
  });

  it("misses what an entry leads to, on Node and elsewhere", () => {
    const schema = {
      types: "./dist/schema.d.ts",
      node: "./dist/bundle/schema.js",
      default: "./dist/schema.js",
    };
    const own = { ...manifest, exports: { "./schema": schema } };

    expect(tarballProblems({ paths, manifest: own })).toEqual([
      "dist/schema.d.ts is missing",
      "dist/bundle/schema.js is missing",
      "dist/schema.js is missing",
    ]);
  });

  it("names what an older build left", () => {
    const left = ["dist/gone.js", "dist/gone.js.map", "dist/gone.d.ts", "dist/gone.d.ts.map"];

    expect(tarballProblems({ paths: [...paths, ...left], manifest })).toEqual([
      "src/gone.ts is missing",
    ]);
  });

  it.each(["workspace:^", "catalog:", "link:../core", "file:../core", "git+https://example.org"])(
    "refuses the range %s",
    (range) => {
      const own = { ...manifest, dependencies: { "@agent-history/core": range } };

      expect(tarballProblems({ paths, manifest: own })).toEqual([
        `@agent-history/core is wanted as ${range}, which is no range of versions`,
      ]);
    },
  );

  it("refuses what would run at the user's", () => {
    const own = { ...manifest, scripts: { postinstall: "node setup.js" } };

    expect(tarballProblems({ paths, manifest: own })).toEqual([
      "the script postinstall would run at the user's",
    ]);
  });
});
