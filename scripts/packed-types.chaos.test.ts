import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsumerProject, createConsumerProject } from "./test-support/consumer-project.ts";
import { importAll, ownErrors, requireAll } from "./test-support/consumer-sources.ts";
import { publishedPackages, rootFolder } from "./workspace-packages.ts";

// Builds and packs the packages, installs them as a user does, and compiles imports of every public entry, and programs that use them with
// the SDKs' types, by the compilers that users have: an ES module from TypeScript 5.4, CommonJS that requires from 5.8.

/** Oldest first. The compiler of this repository is used by the test of the packed packages. */
const compilers = ["5.4", "5.8", "6.0"];

/** Before this version no CommonJS module may require an ES module. */
const requiresSince = "5.8";

const resolutions = [
  ["node16", ["--module", "node16"]],
  ["nodenext", ["--module", "nodenext"]],
  ["bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
] as const;

const base = ["--noEmit", "--target", "es2022", "--lib", "es2023", "--types", "node"];
const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"];
const programs = ["import-all.ts", "use-everything.ts", "use-sdk-types.ts"];

let project: ConsumerProject;
beforeAll(async () => {
  execFileSync("turbo", ["run", "build"], { cwd: rootFolder, stdio: "ignore" });
  project = await createConsumerProject({
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
  const entries = publishedPackages().flatMap((published) => published.entries);
  writeFileSync(join(project.folder, "import-all.ts"), importAll(entries));
  writeFileSync(join(project.folder, "require-all.cts"), requireAll(entries));
});
afterAll(() => project.remove());

describe.each(compilers)("TypeScript %s", (version) => {
  const compiler = join("node_modules", `typescript-${version}`, "bin/tsc");

  it.each(resolutions)("compiles every entry under %s", async (resolution, options) => {
    const requires = resolution === "nodenext" && version >= requiresSince;
    const files = [...programs, ...(requires ? ["require-all.cts"] : [])];
    const name = await project.run(process.execPath, [compiler, "--version"]);
    const output = await project.run(process.execPath, [
      compiler,
      ...base,
      ...strict,
      ...options,
      ...files,
    ]);

    expect(name).toContain(`Version ${version}.`);
    expect(ownErrors(output)).toEqual([]);
  });
});

describe("attw", () => {
  it.each(publishedPackages())("finds $name right for ES modules", async ({ name }) => {
    const file = project.tarballs.find((one) => one.name === name)?.file ?? "";
    const options = ["--profile", "esm-only", "--format", "ascii", "--no-emoji", "--no-color"];
    const said = execFileSync("node_modules/.bin/attw", [file, ...options], {
      cwd: project.folder,
      encoding: "utf8",
    });

    expect(said).toContain(name);
  });
});
