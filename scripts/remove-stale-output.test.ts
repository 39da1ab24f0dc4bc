import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { removeStaleOutput } from "./remove-stale-output.ts";

describe("removeStaleOutput", () => {
  it("removes what has no source, and nothing else", () => {
    const folder = mkdtempSync(join(tmpdir(), "agent-history-stale-"));
    const kept = [
      "dist/.tsbuildinfo",
      "dist/bundle/index.js",
      "dist/index.d.ts",
      "dist/index.d.ts.map",
      "dist/index.js",
      "dist/index.js.map",
      "dist/internal/sql.js",
      "package.json",
      "src/index.ts",
      "src/internal/sql.ts",
    ];
    const stale = [
      "dist/gone.d.ts",
      "dist/gone.d.ts.map",
      "dist/gone.js",
      "dist/internal/index.js.map",
    ];
    for (const file of [...kept, ...stale]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), "");
    }

    removeStaleOutput(folder);

    const left = globSync(["**/*.*", "dist/.tsbuildinfo"], { cwd: folder }).toSorted();
    rmSync(folder, { recursive: true });
    expect(left).toEqual(kept);
  });
});
