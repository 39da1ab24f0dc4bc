import { describe, expect, it } from "vitest";

import { brokenColds, coldAll } from "./cold.ts";
import type { ColdFigures } from "./cold.ts";

describe("coldAll", () => {
  it("counts what a first prompt loads, which has no schema library", async () => {
    const flags = ["--conditions=@agent-history/source"];
    const [bare, flow] = await coldAll({ repeats: 1, flags, isFlowOnly: true });
    expect(bare?.modules).toBe(0);
    expect(flow?.modules).toBeLessThan(300);
    expect(flow?.packages).toEqual(
      expect.arrayContaining(["agent-history", "openai", "reducer", "tokens"]),
    );
    expect(flow?.packages).not.toContain("zod");
  });
});

describe("brokenColds", () => {
  it("holds the first prompt to 4.75 times Node alone", () => {
    expect(brokenColds([row("Node alone", 40), row(FLOW, 190)])).toEqual([]);
    expect(brokenColds([row("Node alone", 40), row(FLOW, 200)])).toEqual([
      "The first prompt takes 5.0 times as long as Node alone.",
    ]);
  });

  it.each([FLOW, "import of `history-manager`", "import of `store-redis`"])(
    "finds zod in %s",
    (what) => {
      const rows = [row("Node alone", 40), row(FLOW, 100), row("import of `history-manager`", 60)];
      const others = rows.filter((one) => one.what !== what);
      const loading = { ...row(what, 100), packages: ["core", "zod"] };
      expect(brokenColds([...others, loading])).toEqual([`Loads zod: ${what}.`]);
    },
  );
});

const FLOW = "first fitted prompt, `agent-history/openai`";

function row(what: string, minMs: number): ColdFigures {
  const process = { minMs, medianMs: minMs, meanMs: minMs, load: 0, isUnsteady: false };
  return { what, process, modules: 1, packages: [] };
}
