import type { JsonObject } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { describe, expect, it } from "vitest";

import { readItems, readLines } from "../test-support/read-lines.ts";
import { claudeCodeLog } from "../test-support/session-logs.ts";
import type { ClaudeCodeLog } from "../test-support/session-logs.ts";
import { claudeCodeReader } from "./claude-code-reader.ts";

const read = { id: "c1", name: "Read", input: { file_path: "/work/shop/cart.ts" } };
const list = { id: "c2", name: "Bash", input: { command: "ls" } };

function oneTurn(log: ClaudeCodeLog): void {
  log.request("Look at the cart.");
  log.answer({ thinking: "hm", text: "I look.", calls: [read, list], usage: { written: 9 } });
  log.result("c1", "export {};");
  log.result("c2", "cart.ts", true);
  log.answer({ text: "It is empty.", usage: { read: 9, output: 3 } });
}

describe("claudeCodeReader", () => {
  it("takes the usage of the last line of an answer, also where a result stands between its lines", () => {
    const usage = (output: number) => ({
      input_tokens: 3,
      cache_read_input_tokens: 50,
      output_tokens: output,
    });
    const block = (uuid: string, output: number, content: JsonObject) => ({
      type: "assistant",
      uuid,
      requestId: "r1",
      message: {
        id: "m1",
        role: "assistant",
        model: "claude-opus-5-5",
        usage: usage(output),
        content: [content],
      },
    });
    const result = { type: "tool_result", tool_use_id: "c1", content: "done" };
    const lines = [
      { type: "user", uuid: "u1", message: { role: "user", content: "Go." } },
      block("a1", 1, { type: "thinking", thinking: "Which?", signature: "s" }),
      block("a2", 1, { type: "tool_use", id: "c1", name: "Bash", input: {} }),
      { type: "user", uuid: "u2", message: { role: "user", content: [result] } },
      block("a3", 812, { type: "tool_use", id: "c2", name: "Bash", input: {} }),
    ];
    const reader = claudeCodeReader();
    const items = [...lines.flatMap((line) => reader.read(JSON.stringify(line))), ...reader.end()];
    const calls = items.flatMap((item) => (item.kind === "call" ? [item.call] : []));
    expect(calls).toMatchObject([{ line: 2, usage: { outputTokens: 812, cacheReadTokens: 50 } }]);
    expect(items.map(({ kind }) => kind)).toEqual(["turn", "entry", "call", "entry", "entry"]);
  });

  it("reads the lines of an answer as one action, and its usage once", () => {
    const log = claudeCodeLog();
    oneTurn(log);
    const { entries, calls } = readLines(claudeCodeReader(), log.take());

    expect(entries.map(({ type }) => type)).toEqual([
      "user_message",
      "action",
      "observation",
      "observation",
      "assistant_message",
    ]);
    expect(entries[1]).toMatchObject({ toolCalls: [{ id: "c1" }, { id: "c2" }], turnId: "turn-1" });
    expect(entries[3]).toMatchObject({ toolName: "Bash", outcome: "error", callId: "c2" });
    expect(calls.map(({ usage }) => usage.cacheWriteTokens)).toEqual([9, 0]);
    expect(calls[1]?.askedAtMs).toBe(calls[1] && (calls[1].answeredAtMs ?? 0) - 1000);
    expect(checkHistory(entries)).toEqual([]);
  });

  it("reads an answer whose results come between its lines as one action", () => {
    const log = claudeCodeLog();
    oneTurn(log);
    const lines = log.take();
    const [request = "", thinking = "", text = "", one = "", two = "", first = "", ...rest] = lines;
    const mixed = [request, thinking, text, one, first, two, ...rest];
    const { entries, abandoned } = readLines(claudeCodeReader(), mixed);

    expect(entries.map(({ type }) => type)).toEqual(
      readLines(claudeCodeReader(), lines).entries.map(({ type }) => type),
    );
    expect(abandoned).toEqual([]);
  });

  it("begins a turn with what a person wrote, and with nothing else", () => {
    const log = claudeCodeLog();
    log.request("Caveat: not yours.", { isMeta: true });
    log.request("<command-name>/skills</command-name>");
    oneTurn(log);
    log.request("[Request interrupted by user]");
    log.request("Now the shelf.");
    const items = readItems(claudeCodeReader(), log.take());

    expect(items.filter(({ kind }) => kind === "turn")).toMatchObject([
      { turnId: "turn-1", line: 3 },
      { turnId: "turn-2" },
    ]);
    const metas = items.filter((item) => item.kind === "entry" && item.isMeta);
    expect(metas).toHaveLength(3);
  });

  it("leaves rewound branches out", () => {
    const log = claudeCodeLog();
    oneTurn(log);
    const last = log.request("Throw it away.");
    log.answer({ text: "Gone.", usage: { read: 8 } });
    log.rewind(last.replace(/\d+$/, (number) => `${Number(number) - 1}`));
    log.request("Keep it.");
    const { entries, abandoned, calls } = readLines(claudeCodeReader(), log.take());

    expect(abandoned.map(({ entry }) => entry.type)).toEqual(["user_message", "assistant_message"]);
    expect(entries.at(-1)).toMatchObject({ content: "Keep it." });
    expect(calls).toHaveLength(3);
  });

  it("goes on with the newest message where a parent is missing, and begins a history where there is none", () => {
    const log = claudeCodeLog();
    oneTurn(log);
    log.rewind("missing");
    log.request("Go on.");
    const lines = log.take();
    expect(readLines(claudeCodeReader(), lines).abandoned).toEqual([]);
    log.rewind(undefined);
    log.request("Begin with this plan.");
    const { entries, abandoned } = readLines(claudeCodeReader(), [...lines, ...log.take()]);
    expect(entries).toMatchObject([{ content: "Begin with this plan." }]);
    expect(abandoned).toHaveLength(6);
  });

  it("reads a compaction as a summary that covers what came before", () => {
    const log = claudeCodeLog();
    oneTurn(log);
    log.compaction("The cart is empty.", 150_000);
    log.answer({ text: "I go on.", usage: { written: 5 } });
    const { entries, compactions, abandoned } = readLines(claudeCodeReader(), log.take());

    expect(compactions).toMatchObject([{ how: "summary", trigger: "auto", preTokens: 150_000 }]);
    const [first, last] = [entries[0]?.id, entries[4]?.id];
    expect(entries[5]).toMatchObject({
      type: "summary",
      content: "The cart is empty.",
      covers: [{ from: first, to: last }],
    });
    expect(abandoned).toEqual([]);
  });

  it("says which results were cleared", () => {
    const log = claudeCodeLog();
    oneTurn(log);
    log.clearing(["c1"]);
    const { compactions } = readLines(claudeCodeReader(), log.take());

    expect(compactions).toMatchObject([{ how: "clearing", callIds: ["c1"] }]);
  });

  it("reads a side chain as its agent's own history", () => {
    const main = claudeCodeLog();
    oneTurn(main);
    const side = claudeCodeLog({ agentId: "a1" });
    oneTurn(side);
    const sideLines = side.take();
    const mixed = main.take().flatMap((line, index) => [line, sideLines[index] ?? ""]);
    const { agents, entries, calls } = readLines(claudeCodeReader(), mixed);

    expect(entries.every(({ agent }) => agent === undefined)).toBe(true);
    expect([...agents.keys()]).toEqual(["a1"]);
    expect(agents.get("a1")?.[1]?.entry.agent).toEqual({ id: "a1", role: "worker" });
    expect(calls.filter(({ agentId }) => agentId === "a1")).toHaveLength(2);
  });

  it("reports damaged, joined and repeated lines by number, and reads on", () => {
    const log = claudeCodeLog();
    oneTurn(log);
    const [request = "", thinking = "", text = "", ...rest] = log.take();
    const lines = [request, "{ no", `${thinking}${text}`, text, "", "7", ...rest];
    const { problems, entries } = readLines(claudeCodeReader(), lines);

    expect(problems.map(({ line, problem }) => `${line} ${problem}`)).toEqual([
      "2 damaged",
      "3 joined",
      "4 repeated",
      "6 damaged",
    ]);
    expect(entries[1]).toMatchObject({ type: "action", content: [{}, { text: "I look." }] });
  });

  it("does not count what Claude Code answers itself", () => {
    const log = claudeCodeLog();
    log.request("Hello.");
    log.answer({ text: "No connection.", model: "<synthetic>", usage: { input: 5 } });
    expect(readLines(claudeCodeReader(), log.take()).calls).toEqual([]);
  });

  it("reads calls and turns without entries", () => {
    const log = claudeCodeLog();
    oneTurn(log);
    const lines = log.take();
    const kinds = (entries: boolean) =>
      readItems(claudeCodeReader({ entries }), lines).filter(({ kind }) => kind !== "entry");
    expect(kinds(false)).toEqual(kinds(true));
    expect(readLines(claudeCodeReader({ entries: false }), lines).entries).toEqual([]);
  });
});
