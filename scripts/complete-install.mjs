/**
 * Completes the install of a fresh clone whose first command named one package: pnpm then installs that package and what it needs,
 * and takes the workspace for installed. Plain JavaScript, since it runs on whatever Node is on the machine.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

const isWhole = packageFolders().every((folder) => existsSync(join(folder, "node_modules")));
if (!isWhole) {
  const { status } = spawnSync("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], {
    cwd: root,
    env: unselected(process.env),
    // The report of pnpm is for people; what a test prints goes to standard output.
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}

/** The folders that pnpm-workspace.yaml names. Each has dependencies, so each has a `node_modules` once it is installed. */
function packageFolders() {
  const named = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  return [...named, join(root, "scripts"), join(root, "docs")].filter((folder) =>
    existsSync(join(folder, "package.json")),
  );
}

/** The environment without what selects packages: the command that started this one set it for itself. */
function unselected(env) {
  const selects = /^(npm|pnpm)_config_(filter|recursive|dir|workspace_root|filter_prod)$/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !selects.test(name)));
}
