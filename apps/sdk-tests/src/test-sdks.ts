import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Installs the SDKs, checks the types of their tests and runs those that the command line names; without a name, all. */

const folder = join(import.meta.dirname, "../sdks");
const rootFolder = join(import.meta.dirname, "../../..");

const commands: readonly (readonly string[])[] = [
  ["npx", "-y", "pnpm@12", "--dir", folder, "install", "--frozen-lockfile", "--prefer-offline"],
  [join(rootFolder, "node_modules/.bin/tsc"), "-p", folder],
  [
    join(rootFolder, "node_modules/.bin/vitest"),
    "run",
    "--config",
    join(folder, "vitest.config.ts"),
    ...process.argv.slice(2),
  ],
];

for (const [command = "", ...args] of commands) {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
