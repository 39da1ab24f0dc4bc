import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

import { describe, expect, it } from "vitest";

import { rootFolder } from "./workspace-packages.ts";

/** The folders of the packages, relative to the root, that hold files of a pattern. */
function packagesWith(pattern: string): string[] {
  const files = globSync(`{packages/*,apps/*,scripts}/${pattern}`, {
    cwd: rootFolder,
    exclude: (path) => /(^|[\\/])(node_modules|dist)$/.test(path),
  });
  const folders = files.map((file) => {
    const parts = file.split(sep);
    return parts[0] === "scripts" ? "scripts" : parts.slice(0, 2).join("/");
  });
  return [...new Set(folders)].toSorted();
}

describe("integration tests", () => {
  it("are run wherever there are any, by a command of the package", () => {
    const withCommand = packagesWith("package.json").filter((folder) =>
      readFileSync(join(rootFolder, folder, "package.json"), "utf8").includes('"test:integration"'),
    );

    expect(packagesWith("**/*.int.test.ts")).toEqual(withCommand);
    expect(withCommand.length).toBeGreaterThan(2);
  });
});
