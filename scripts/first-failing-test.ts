import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** What vitest's JSON reporter writes, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: "passed" | "failed";
    readonly message: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

/**
 * Runs tests until one fails, and names it: `file > describe > it`.
 *
 * @param root - A working tree.
 * @param tests - Test files, or the folders of whole packages, relative to the root.
 * @throws `Error` where the tests cannot be run at all.
 */
export function firstFailingTest(root: string, tests: readonly string[]): string | undefined {
  const byPackage = Map.groupBy(tests, (path) => path.split("/").slice(0, 2).join("/"));
  for (const [folder, paths] of byPackage) {
    const files = paths.includes(folder) ? [] : paths.map((path) => relative(folder, path));
    const failure = failureIn(root, folder, files);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failureIn(root: string, folder: string, files: readonly string[]): string | undefined {
  const reportFolder = mkdtempSync(join(tmpdir(), "agent-history-report-"));
  const report = join(reportFolder, "report.json");
  try {
    const config = ["--config", join(root, "vitest.config.ts"), "--mode=all", "--reporter=json"];
    // Threads die with their process, also one that a mutation sent round in circles.
    const options = [...config, `--outputFile=${report}`, "--bail=1", "--pool=threads"];
    const { error, stderr, status } = spawnSync("vitest", ["run", ...options, ...files], {
      cwd: join(root, folder),
      encoding: "utf8",
      killSignal: "SIGKILL",
      timeout: 600_000,
    });
    if (error !== undefined && "code" in error && error.code === "ETIMEDOUT") {
      return `${folder} > (does not end)`;
    }
    return status === 0 ? undefined : nameFailure(root, readReport(report, stderr));
  } finally {
    rmSync(reportFolder, { recursive: true });
  }
}

function readReport(file: string, stderr: string): Report {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`vitest wrote no report: ${stderr}`, { cause });
  }
}

function nameFailure(root: string, { testResults }: Report): string {
  const failed = testResults.find(({ status }) => status === "failed");
  if (failed === undefined)
    throw new Error("vitest failed, but no test did: is there such a file?");
  const file = relative(root, failed.name);
  const test = failed.assertionResults.find(({ status }) => status === "failed");
  if (test === undefined) throw new Error(`${file} cannot be loaded: ${failed.message}`);
  return [file, ...test.ancestorTitles, test.title].join(" > ");
}
