import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { type ConsumerProject, createConsumerProject } from "./consumer-project.ts";
import { importAll, ownErrors, requireAll } from "./consumer-sources.ts";
import { publishedPackages, rootFolder } from "./workspace-packages.ts";

/**
 * Builds and packs the packages, installs them as a user does, and compiles imports of every public entry, and programs that use them with the SDKs' types, by
 * the compilers that users have: an ES module from TypeScript 5.4, CommonJS that requires from 5.8. Then `attw` looks at each tarball.
 */

/** What users compile with, oldest first. The compiler of this repository is used by the test of the packed packages. */
const compilers = ["5.4", "5.8", "6.0"];

/** Before this version no CommonJS module may require an ES module. */
const requiresSince = "5.8";

const resolutions = {
  node16: ["--module", "node16"],
  nodenext: ["--module", "nodenext"],
  bundler: ["--module", "esnext", "--moduleResolution", "bundler"],
} as const;

const base = ["--noEmit", "--target", "es2022", "--lib", "es2023", "--types", "node"];
const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"];
const programs = ["import-all.ts", "use-everything.ts", "use-sdk-types.ts"];

execFileSync("turbo", ["run", "build"], { cwd: rootFolder, stdio: "inherit" });

const project = await createConsumerProject({
  files: programs.slice(1),
  needs: {
    "@arethetypeswrong/cli": "0.18.5",
    "@types/node": "^22.12.0",
    "@anthropic-ai/sdk": "^1.12.0",
    openai: "^7.57.0",
    redis: "^6.0.0",
    ...Object.fromEntries(
      compilers.map((version) => [`typescript-${version}`, `npm:typescript@~${version}.0`]),
    ),
  },
});
try {
  const problems = [...(await compilerProblems(project)), ...attwProblems(project)];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  project.remove();
}

async function compilerProblems({ folder, run }: ConsumerProject): Promise<string[]> {
  const entries = publishedPackages().flatMap((published) => published.entries);
  writeFileSync(join(folder, "import-all.ts"), importAll(entries));
  writeFileSync(join(folder, "require-all.cts"), requireAll(entries));
  const problems: string[] = [];
  for (const version of compilers) {
    const compiler = join("node_modules", `typescript-${version}`, "bin/tsc");
    const name = (await run(process.execPath, [compiler, "--version"])).trim();
    if (!name.startsWith(`Version ${version}.`)) problems.push(`No TypeScript ${version}: ${name}`);
    for (const [resolution, options] of Object.entries(resolutions)) {
      const requires = resolution === "nodenext" && version >= requiresSince;
      const files = [...programs, ...(requires ? ["require-all.cts"] : [])];
      const output = await run(process.execPath, [
        compiler,
        ...base,
        ...strict,
        ...options,
        ...files,
      ]);
      const errors = ownErrors(output);
      console.log(
        line(
          `TypeScript ${version}`,
          resolution,
          `${entries.length} entries, ${files.join(" ")}`,
          errors,
        ),
      );
      problems.push(...errors.map((error) => `TypeScript ${version}, ${resolution}: ${error}`));
    }
  }
  return problems;
}

/** Looks at each tarball as at a package of ES modules alone. */
function attwProblems({ folder, tarballs }: ConsumerProject): string[] {
  return tarballs.flatMap(({ name, file }) => {
    const options = [
      file,
      "--profile",
      "esm-only",
      "--format",
      "ascii",
      "--no-emoji",
      "--no-color",
    ];
    const { status, stdout } = spawnSync(join(folder, "node_modules/.bin/attw"), options, {
      cwd: folder,
      encoding: "utf8",
    });
    const problems = status === 0 ? [] : [`attw, ${name}:\n${stdout}`];
    console.log(line("attw", "esm-only", name, problems));
    return problems;
  });
}

function line(tool: string, how: string, what: string, problems: readonly string[]): string {
  const verdict = problems.length === 0 ? "ok" : `${problems.length} problems`;
  return `${tool.padEnd(15)} ${how.padEnd(9)} ${verdict.padEnd(12)} ${what}`;
}
