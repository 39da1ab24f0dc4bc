import { claudeCodeReader } from "@agent-history/transcripts";
import type { TranscriptItem } from "@agent-history/transcripts";
import { describe, expect, it } from "vitest";

import { claudeCodeLog } from "../../transcripts/test-support/session-logs.ts";
import type { ClaudeCodeLog } from "../../transcripts/test-support/session-logs.ts";
import { inspectSession } from "./inspect-session.ts";

describe("inspectSession", () => {
  it("draws what a compaction replaced and what was cleared, call by call", () => {
    const { calls, entries } = inspectSession(itemsOf(session()));
    const drawn = calls.map(({ runs, decisions }) =>
      runs.map(([row, rows, index]) => `${row}+${rows} ${decisions[index]?.state}`).join(", "),
    );

    expect(entries.map(({ type }) => type)).toEqual([
      "user_message",
      "action",
      "observation",
      "action",
      "observation",
      "assistant_message",
      "summary",
      "assistant_message",
    ]);
    expect(drawn).toEqual([
      "0+1 kept",
      "0+3 kept",
      "0+2 kept, 2+1 cleared, 3+2 kept",
      "0+6 summarized, 6+1 kept",
    ]);
  });

  it("says what broke the cache, why, and what that cost", () => {
    const { calls } = inspectSession(itemsOf(session()));
    const { change } = calls[2] ?? {};

    expect(change).toMatchObject({
      sameTokens: 10_000,
      previousTokens: 40_000,
      sentAgainTokens: 30_000,
      firstRow: 2,
    });
    expect(change?.reasons).toEqual(["the tool cleared old results"]);
    expect(change?.costUsd).toBeCloseTo((30_000 * (3.75 - 0.3)) / 1e6, 12);
    expect(calls[1]?.change?.sentAgainTokens).toBe(0);
  });

  it("compares a summary with what was needed after it", () => {
    const log = session();
    log.answer({
      calls: [{ id: "c3", name: "Read", input: { file_path: "/home/ann/shop/cart.ts" } }],
    });
    log.result("c3", "x");
    log.answer({
      calls: [{ id: "c4", name: "Read", input: { file_path: "/home/ann/shop/voucher.ts" } }],
    });
    log.result("c4", "x");
    const [compaction] = inspectSession(itemsOf(log)).compactions;

    expect(compaction).toMatchObject({
      row: 6,
      covers: [[0, 6]],
      tokensBefore: 45_000,
      trigger: "auto",
      basis: "needed",
    });
    expect(compaction?.facts).toEqual([
      { kind: "path", text: "/home/ann/shop/cart.ts", isKept: true },
      { kind: "path", text: "/home/ann/shop/voucher.ts", isKept: false },
    ]);
  });

  it("leaves out the calls of rewound branches", () => {
    const log = claudeCodeLog();
    const first = log.request("One.");
    log.answer({ text: "Wrong.", usage: { written: 1 } });
    log.rewind(first);
    log.answer({ text: "Right.", usage: { written: 2 } });

    expect(inspectSession(itemsOf(log)).calls.map(({ totalTokens }) => totalTokens)).toEqual([2]);
  });
});

function session(): ClaudeCodeLog {
  const log = claudeCodeLog();
  log.request("Why is the total wrong?");
  const read = (id: string, path: string, usage: { read: number; written: number }): void => {
    log.answer({ calls: [{ id, name: "Read", input: { file_path: path } }], usage });
    log.result(id, `${path} `.repeat(200));
  };
  read("c1", "/home/ann/shop/cart.ts", { read: 0, written: 30_000 });
  read("c2", "/home/ann/shop/voucher.ts", { read: 30_000, written: 10_000 });
  log.clearing(["c1"]);
  log.answer({ text: "Twice.", usage: { read: 10_000, written: 32_000 } });
  log.compaction("Read cart.ts.", 45_000);
  log.answer({ text: "Go on.", usage: { read: 10_000, written: 2000 } });
  return log;
}

function itemsOf(log: ClaudeCodeLog): readonly TranscriptItem[] {
  const reader = claudeCodeReader();
  return [...log.take().flatMap((line) => reader.read(line)), ...reader.end()];
}
