import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

/** Returns a path for a file of one test; its folder is removed after the test. */
export function temporaryFile(name = "history.db"): string {
  const folder = mkdtempSync(join(tmpdir(), "store-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, name);
}
