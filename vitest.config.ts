import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";
import type { ViteUserConfigFnObject } from "vitest/config";

/** Packages of the workspace are tested with each other's sources: without a build, and never against an older one. */
const source = "@agent-history/source";
const conditions = [source, "module", "node", "development|production"];

/** A package keeps its sources in src, the demo and the test kit some beside it; scripts stand at the top of theirs. */
const folders = ["{src,test-formats,cli,providers,evaluation,example-store}/**/", ""];

/** How the tests of each mode are called; those of any other mode by any name. */
const kinds: Readonly<Record<string, string>> = { integration: ".int", chaos: ".chaos" };

/** Suites that SDKs judge their own classes by, in folders that are named when the tests are started, judge ours. */
const suitesOfOthers = [
  { find: "bun:test", replacement: "vitest" },
  {
    find: /^\.\.\/src\/memory\/memorySession$/,
    replacement: fileURLToPath(
      new URL("packages/agent-history/test-support/judged-session.ts", import.meta.url),
    ),
  },
];

/**
 * Every package runs its own tests with this one configuration: `*.test.ts` by `test`; `*.int.test.ts`, which start servers, programs and
 * whole sessions, by `test:integration`, in the mode `integration`; `*.chaos.test.ts`, which take minutes, by `pnpm chaos --tests`, in the
 * mode `chaos`. In the mode `all` a file of any kind can be named.
 */
const config: ViteUserConfigFnObject = defineConfig(({ mode }) => ({
  resolve: { conditions, alias: suitesOfOthers },
  ssr: { resolve: { conditions, externalConditions: [source, "node"] } },
  test: {
    env: {
      // The same for every Node process that a test starts.
      NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --conditions=${source}`.trim(),
      // Such a process loads hundreds of sources: stripped of their types and compiled once, not each time.
      NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url)),
    },
    include: folders.map((folder) => `${folder}*${kinds[mode] ?? ""}.test.ts`),
    exclude: ["**/node_modules/**", ...(mode === "test" ? ["**/*.{int,chaos}.test.ts"] : [])],
    setupFiles: [fileURLToPath(new URL("scripts/law-seed.ts", import.meta.url))],
    // Left to itself, vitest leaves one core to others: of two cores it would use one.
    maxWorkers: Number(
      process.env["VITEST_MAX_WORKERS"] ?? Math.max(2, availableParallelism() - 1),
    ),
    // Tests share no state, so modules are loaded once for all of a package's files.
    isolate: false,
    // They end what hangs, and say nothing about how fast a machine is.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
}));

export default config;
