import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { rootFolder } from "./workspace-packages.ts";

/** A copy of the working tree that can be broken at will. */
export interface ThrowAwayCopy {
  readonly folder: string;
  /** Removes the copy. */
  readonly remove: () => void;
}

/** What is copied. */
export interface CopyOptions {
  /** Whether what was built is copied too. Default: no; tests run on sources. */
  readonly built?: boolean;
}

/**
 * Copies the working tree, uncommitted files included, to a temporary folder.
 *
 * Outside packages are shared with the original. The links between the packages are relative, so
 * that in the copy they lead to the copy.
 */
export function throwAwayCopy({ built = false }: CopyOptions = {}): ThrowAwayCopy {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-copy-"));
  const outputs = built ? packageFolders("dist") : [];
  for (const path of [...sources(), ...packageFolders("node_modules"), ...outputs]) {
    const options = { recursive: true, verbatimSymlinks: true };
    cpSync(join(rootFolder, path), join(folder, path), options);
  }
  symlinkSync(join(rootFolder, "node_modules"), join(folder, "node_modules"));
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** Every file that git knows or would add, and that is still there. */
function sources(): string[] {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = spawnSync("git", options, { cwd: rootFolder, encoding: "utf8" });
  return stdout.split("\0").filter((path) => path !== "" && existsSync(join(rootFolder, path)));
}

function packageFolders(name: string): string[] {
  return globSync(`{packages/*,apps/*,scripts}/${name}`, { cwd: rootFolder });
}
