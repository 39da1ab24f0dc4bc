import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

const sources = globSync("**/*.ts", { cwd: import.meta.dirname }).filter(
  (file) => !file.endsWith(".test.ts"),
);

describe("the sources of agent-history", () => {
  it.each(sources)("only assemble: %s has at most 80 lines", (file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");

    expect(text.split("\n").length - 1).toBeLessThanOrEqual(80);
  });
});
