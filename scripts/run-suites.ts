import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/** The suite of all stores on one store, as its package runs it. */
interface Suite {
  readonly store: string;
  readonly folder: string;
  readonly file: string;
  /** Which of the file's tests. Default: all. */
  readonly tests?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const SUITES: readonly Suite[] = [
  {
    store: "memory",
    folder: "packages/testkit",
    file: "src/core-laws/memory-store-suite.test.ts",
  },
  { store: "SQLite", folder: "packages/store-sqlite", file: "src/sqlite-store-suite.test.ts" },
  ...["redis-7", "redis-8", "valkey-8"].map((server) => ({
    store: `${server}, by four clients`,
    folder: "packages/store-redis",
    file: "src/conformance/real-server.int.test.ts",
    tests: String.raw`^redis-server \(redis-server\)`,
    env: { AGENT_HISTORY_REDIS_SERVER: server },
  })),
  {
    store: "Postgres, PGlite",
    folder: "packages/store-postgres",
    file: "src/postgres-store-suite.test.ts",
  },
  {
    store: "Postgres, a real server, by a pool of each isolation level and by a client",
    folder: "packages/store-postgres",
    file: "src/conformance/real-server.int.test.ts",
    env: { AGENT_HISTORY_POSTGRES_AT_LENGTH: "1" },
  },
];

/**
 * Runs the suite of all stores on each store and server, or on those whose names hold one of the words, and prints how many tests passed. Where a
 * server cannot be had, its tests are counted as skipped.
 *
 * @returns Whether none failed.
 */
export function runSuites(words: readonly string[]): boolean {
  const chosen = SUITES.filter(
    ({ store }) => words.length === 0 || words.some((word) => store.includes(word)),
  );
  if (chosen.length === 0) throw new Error(`No store is named so: ${words.join(" ")}`);
  const counted = chosen.map((suite) => {
    const counts = countsOf(suite);
    process.stdout.write(`${suite.store}: ${JSON.stringify(counts)}\n`);
    return { store: suite.store, ...counts };
  });
  const lines = counted.map(
    ({ store, passed, failed, skipped }) => `| ${store} | ${passed} | ${failed} | ${skipped} |`,
  );
  const table = ["| store | passed | failed | skipped |", "| --- | --: | --: | --: |", ...lines];
  process.stdout.write(`\n${table.join("\n")}\n`);
  return counted.every(({ passed, failed, skipped }) => failed === 0 && passed + skipped > 0);
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What vitest's report says. A file that cannot be run is one failed test. */
function countsOf({ folder, file, tests, env }: Suite): Counts {
  const work = mkdtempSync(join(tmpdir(), "agent-history-suites-"));
  try {
    const output = join(work, "report.json");
    const config = join(rootFolder, "vitest.config.ts");
    const mode = file.endsWith(".int.test.ts") ? ["--mode", "integration"] : [];
    const args = ["run", "--config", config, ...mode, file, "--reporter=json"];
    const filter = tests === undefined ? [] : ["-t", tests];
    const ended = spawnSync("vitest", [...args, `--outputFile=${output}`, ...filter], {
      cwd: join(rootFolder, folder),
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const counts = countsIn(readFileSync(output, "utf8"), tests);
    return ended.status === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
  } finally {
    rmSync(work, { recursive: true });
  }
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

function countsIn(json: string, tests: string | undefined): Counts {
  const report: Report = JSON.parse(json);
  const results = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ fullName }) => tests === undefined || new RegExp(tests).test(fullName));
  const count = (of: (status: string) => boolean): number =>
    results.filter(({ status }) => of(status)).length;
  return {
    passed: count((status) => status === "passed"),
    failed: count((status) => status === "failed"),
    skipped: count((status) => status !== "passed" && status !== "failed"),
  };
}
