import { describe, expect, it } from "vitest";

import { readItems } from "../test-support/read-lines.ts";
import { claudeCodeLog } from "../test-support/session-logs.ts";
import type { ClaudeCodeLog } from "../test-support/session-logs.ts";
import { claudeCodeReader } from "./claude-code-reader.ts";
import { lostMeter } from "./lost-report.ts";
import type { LostReport, NeededFact } from "./lost-report.ts";

let count = 0;
function call(
  log: ClaudeCodeLog,
  name: string,
  input: Record<string, string>,
  result = "ok",
): void {
  count += 1;
  log.answer({ calls: [{ id: `c${count}`, name, input }], usage: { written: 5 } });
  log.result(`c${count}`, result, /error/i.test(result));
}

function lost(write: (log: ClaudeCodeLog) => void): readonly LostReport[] {
  const log = claudeCodeLog({ cwd: "/work/shop" });
  write(log);
  const meter = lostMeter();
  for (const item of readItems(claudeCodeReader(), log.take())) meter.add(item);
  return meter.result();
}

function factsOf(report: LostReport | undefined, wanted: NeededFact["kind"]) {
  const facts = report?.facts.filter(({ kind }) => kind === wanted) ?? [];
  return facts.map(({ text, isKept }) => [text, isKept]);
}

describe("lostMeter", () => {
  it("tells which needed paths a summary keeps, by path and by name", () => {
    const [report, ...others] = lost((log) => {
      log.request("Change the cart.");
      for (const file of ["src/cart.ts", "src/shelf.ts", "src/shop.ts"]) {
        call(log, "Read", { file_path: `/work/shop/${file}` });
      }
      log.compaction("Changed src/cart.ts; shelf.ts is next.", 1000);
      call(log, "Read", { file_path: "/work/shop/src/cart.ts" });
      call(log, "Edit", { file_path: "/work/shop/src/shelf.ts" });
      call(log, "Bash", { command: "cat src/shop.ts && cat new.ts" });
    });

    expect(others).toEqual([]);
    expect(factsOf(report, "file paths")).toEqual([
      ["/work/shop/src/cart.ts", true],
      ["/work/shop/src/shelf.ts", false],
      ["/work/shop/src/shop.ts", false],
    ]);
    expect(factsOf(report, "file names").map(([, isKept]) => isKept)).toEqual([true, true, false]);
    expect(report?.readBefore).toBe(3);
    expect(report?.readAgain).toEqual(["/work/shop/src/cart.ts", "/work/shop/src/shop.ts"]);
  });

  it("counts names, numbers and errors apart", () => {
    const [report] = lost((log) => {
      log.request("Why does addToCart fail on port 8080?");
      call(log, "Bash", { command: "npm test" }, "Error: cart_total is not a function\nat 1");
      log.compaction("addToCart is fixed.", 1000);
      call(log, "Grep", { pattern: "addToCart|cart_total" });
      call(log, "Bash", { command: "curl localhost:8080 --max-time 9999" });
      log.answer({ text: "Again: Error: cart_total is not a function", usage: { written: 1 } });
    });

    expect(factsOf(report, "identifiers")).toEqual([
      ["addToCart", true],
      ["cart_total", false],
    ]);
    expect(factsOf(report, "numbers")).toEqual([["8080", false]]);
    expect(factsOf(report, "errors")).toEqual([["Error: cart_total is not a function", false]]);
  });

  it("compares each compaction with what stood between it and the one before", () => {
    const reports = lost((log) => {
      call(log, "Read", { file_path: "/work/shop/a.ts" });
      log.compaction("First: a.ts", 1000);
      call(log, "Read", { file_path: "/work/shop/b.ts" });
      log.compaction("Second.", 1000);
      call(log, "Read", { file_path: "/work/shop/a.ts" });
      call(log, "Read", { file_path: "/work/shop/b.ts" });
      log.compaction("Third, without work after it.", 1000);
    });

    expect(reports).toHaveLength(2);
    expect(factsOf(reports[0], "file paths")).toEqual([]);
    // a.ts stands in the summary that the second compaction replaced.
    expect(factsOf(reports[1], "file paths")).toEqual([
      ["/work/shop/a.ts", false],
      ["/work/shop/b.ts", false],
    ]);
  });

  it("leaves out side chains", () => {
    const side = claudeCodeLog({ agentId: "a1" });
    call(side, "Read", { file_path: "/work/shop/a.ts" });
    const sideLines = side.take();
    const log = claudeCodeLog();
    call(log, "Read", { file_path: "/work/shop/a.ts" });
    log.compaction("Nothing.", 1000);
    const meter = lostMeter();
    for (const item of readItems(claudeCodeReader(), [...log.take(), ...sideLines]))
      meter.add(item);
    expect(meter.result()).toEqual([]);
  });
});
