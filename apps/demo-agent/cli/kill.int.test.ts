import { join } from "node:path";

import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { sqliteStore } from "@agent-history/store-sqlite";
import { describe, expect, it } from "vitest";

import { killRun } from "../test-support/kill-run.ts";
import { runProgram } from "../test-support/run-program.ts";

/** Where in the output, as a share of its lines. `pnpm chaos --demo` does more. */
const MOMENTS = [0.3, 0.7];

describe("main", () => {
  it("comes to the same state after kill -9 in the midst of it: nothing lost, nothing doubled", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    await using cache = await temporaryFolder({});
    const path = join(cache.path, "demo.db");
    const flags = ["--dir", garden.path, "--store", `sqlite:${path}`, "--at-once", "1"];
    const { lines, exitCode } = await runProgram(["--json", "--thread", "whole", ...flags]);
    const store = sqliteStore({ path });
    const whole = await killRun({ threadId: "whole", flags, store, killAfter: [] });

    expect(exitCode).toBe(0);
    expect(whole.problems).toEqual([]);
    for (const moment of MOMENTS) {
      const line = Math.ceil(moment * lines.length);
      const killed = await killRun({
        threadId: `killed-${moment}`,
        flags,
        store,
        killAfter: [line],
      });

      expect(killed.problems, `killed after line ${line}`).toEqual([]);
      expect(killed.state, `killed after line ${line}`).toBe(whole.state);
    }
    await store.close();
  });
});
