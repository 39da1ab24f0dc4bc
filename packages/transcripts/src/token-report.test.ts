import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { measureLines } from "../test-support/measure-lines.ts";
import { claudeCodeLog, codexLog } from "../test-support/session-logs.ts";
import { claudeCodeReader } from "./claude-code-reader.ts";
import { codexReader } from "./codex-reader.ts";
import { tokenReport } from "./token-report.ts";
import type { TokenGroup, TokenReport } from "./token-report.ts";

const read = (id: string, file: string) => ({ id, name: "Read", input: { file_path: file } });

function report(write: (log: ReturnType<typeof claudeCodeLog>) => void): TokenReport {
  const log = claudeCodeLog();
  write(log);
  return tokenReport([measureLines(claudeCodeReader(), log.take())]);
}

describe("tokenReport", () => {
  it("counts an entry once, and in each call that sent it", () => {
    const { byRole, byTool, byFile, byTurn, heaviest, sentTokens, promptTokens } = report((log) => {
      log.request("x".repeat(10));
      log.answer({ calls: [read("c1", "a.ts")], usage: { written: 20 } });
      log.result("c1", "y".repeat(100));
      log.answer({ text: "z".repeat(5), usage: { read: 20, written: 100 } });
      log.request("u".repeat(7));
      log.answer({ text: "Done.", usage: { read: 120 } });
    });

    const names = (groups: readonly TokenGroup[]) =>
      groups.map(({ name, tokens, sentTokens: sent }) => [name, tokens, sent]);
    expect(names(byRole)).toEqual([
      ["tool results", 100, 200],
      ["user", 17, 37],
      ["assistant", 10, 5],
    ]);
    expect(names(byTool)).toEqual([["Read", 100, 200]]);
    expect(names(byFile)).toEqual([["a.ts", 100, 200]]);
    expect(byTurn.map(({ name }) => name)).toEqual(["turn-1", "turn-2"]);
    expect(heaviest[0]).toMatchObject({ toolName: "Read", sent: 2, line: 3 });
    expect({ sentTokens, promptTokens }).toEqual({ sentTokens: 242, promptTokens: 260 });
  });

  it("sends nothing again of what was rewound, compacted or cleared", () => {
    const { heaviest } = report((log) => {
      log.request("first");
      const kept = log.answer({ text: "second", usage: { written: 5 } });
      log.request("rewound");
      log.answer({ text: "rewound answer", usage: { written: 5 } });
      log.rewind(kept);
      log.request("third");
      log.answer({ calls: [read("c1", "a.ts")], usage: { written: 5 } });
      log.result("c1", "cleared");
      log.answer({ text: "fourth", usage: { written: 5 } });
      log.clearing(["c1"]);
      log.request("fifth");
      log.answer({ text: "sixth", usage: { written: 5 } });
      log.compaction("summary", 100);
      log.answer({ text: "seventh", usage: { written: 5 } });
    });
    const sent = Object.fromEntries(
      heaviest.map(({ toolName = "", label, sent: times }) => [`${toolName}${label}`, times]),
    );
    expect(sent).toMatchObject({
      first: 5,
      rewound: 1,
      third: 3,
      "Reada.ts": 1,
      fifth: 1,
      summary: 1,
    });
  });

  it("names calls and results by what was called, also where Codex goes on with a command", () => {
    const log = codexLog({ sessionId: "s1", cwd: "/shop", model: "gpt-5.5" });
    log.request("Run the tests.");
    const call = (id: string, name: string, input: object): void =>
      log.item({ type: "function_call", call_id: id, name, arguments: JSON.stringify(input) });
    const result = (id: string, output: string): void =>
      log.item({ type: "function_call_output", call_id: id, output });
    call("c1", "exec_command", { cmd: "npm test -- --watch" });
    result("c1", "Chunk ID: a1\nWall time: 1.0\nProcess running with session ID 77\nOutput:\nok");
    call("c2", "write_stdin", { session_id: 77, chars: "" });
    result("c2", "Chunk ID: b2\nOutput:\nmore");
    log.usage({ input: 30_000, cached: 0, output: 9 });
    const { heaviest } = tokenReport([measureLines(codexReader(), log.take())]);
    const labels = heaviest.filter(({ toolName }) => toolName !== undefined);
    expect(labels.map(({ label }) => label)).toEqual([
      "npm test -- --watch",
      "npm test -- --watch",
    ]);
  });

  it("says which results came again", () => {
    const { repeated } = report((log) => {
      for (const id of ["c1", "c2", "c3"]) {
        log.request("Again.");
        log.answer({ calls: [read(id, "a.ts")], usage: { written: 5 } });
        log.result(id, "y".repeat(80));
      }
      log.answer({ text: "Done.", usage: { written: 5 } });
    });
    expect(repeated).toMatchObject([{ toolName: "Read", files: ["a.ts"], times: 3 }]);
    expect(repeated[0]?.sentTokens).toBe(80 * (2 + 1));
  });

  it("learns from reported usage how far its counter is off", () => {
    const { factor, byTool } = report((log) => {
      log.request("Begin.");
      for (let n = 0; n < 4; n += 1) {
        log.answer({ calls: [read(`c${n}`, "a.ts")], usage: { read: 9000 + n * 1200 } });
        log.result(`c${n}`, `${n}`.repeat(1000));
      }
      log.answer({ text: "Done.", usage: { read: 9000 + 4 * 1200 } });
    });
    expect(factor).toBeCloseTo(1.2, 2);
    expect(byTool[0]?.tokens).toBe(4800);
  });

  it("gives every token to one role and one turn", () => {
    const step = fc.record({
      text: fc.string({ maxLength: 30 }),
      kind: fc.constantFrom("request", "answer", "call", "compaction", "rewind"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const { byRole, byTurn, sentTokens, promptTokens } = report((log) => {
          const ids: string[] = [];
          for (const [index, { kind, text }] of steps.entries()) {
            if (kind === "request") ids.push(log.request(text));
            else if (kind === "answer") ids.push(log.answer({ text, usage: { written: 1 } }));
            else if (kind === "compaction") log.compaction(text, 5);
            else if (kind === "rewind") log.rewind(ids[Math.floor(ids.length / 2)]);
            else {
              log.answer({ calls: [read(`c${index}`, text)], usage: { written: 1 } });
              log.result(`c${index}`, text);
            }
          }
        });
        const sum = (groups: readonly TokenGroup[]) =>
          groups.reduce((total, group) => total + group.sentTokens, 0);
        return (
          sum(byRole) === sentTokens && sum(byTurn) === sentTokens && promptTokens <= steps.length
        );
      }),
      { numRuns: lawRuns(100) },
    );
  });
});
