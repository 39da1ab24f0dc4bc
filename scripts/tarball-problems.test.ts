import { describe, expect, it } from "vitest";

import { tarballProblems } from "./tarball-problems.ts";

const paths = [
  "LICENSE",
  "README.md",
  "package.json",
  "dist/bundle/index.js",
  "dist/bundle/index.d.ts",
];
const manifest = {
  exports: {
    ".": "./dist/bundle/index.js",
    "./package.json": "./package.json",
  },
  homepage: "https://example.org",
  bugs: "https://example.org/issues",
  author: "us",
  keywords: ["llm"],
  repository: { directory: "packages/core" },
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
    "src/index.ts",
    "dist/index.js",
    "dist/index.d.ts",
    "dist/bundle/index.js.map",
    "dist/bundle/index.d.ts.map",
    "test-support/arbitrary-thread.ts",
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

  it("misses what its imports and commands name", () => {
    const imports = { "#page-template": "./dist/page/template.js" };
    const bin = { command: "./dist/bundle/main.js" };

    expect(tarballProblems({ paths, manifest: { ...manifest, imports, bin } })).toEqual([
      "dist/page/template.js is missing",
      "dist/bundle/main.js is missing",
    ]);
  });

  it.each(["dist/bundle/chunk-AB.js", "dist/page/template.js", "dist/page/licenses.txt"])(
    "takes %s",
    (path) => {
      expect(tarballProblems({ paths: [...paths, path], manifest })).toEqual([]);
    },
  );

  it.each(["homepage", "bugs", "author", "keywords"])("misses %s in the manifest", (field) => {
    expect(tarballProblems({ paths, manifest: { ...manifest, [field]: undefined } })).toEqual([
      `${field} is missing`,
    ]);
  });

  it("misses the folder that links of a README begin at", () => {
    expect(tarballProblems({ paths, manifest: { ...manifest, repository: {} } })).toEqual([
      "repository.directory is missing",
    ]);
  });

  it("misses what an entry leads to", () => {
    const own = { ...manifest, exports: { "./schema": "./dist/bundle/schema.js" } };

    expect(tarballProblems({ paths, manifest: own })).toEqual([
      "dist/bundle/schema.js is missing",
      "dist/bundle/schema.d.ts is missing",
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
