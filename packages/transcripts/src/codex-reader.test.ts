import { checkHistory } from "@agent-history/core/check";
import { describe, expect, it } from "vitest";

import { readItems, readLines } from "../test-support/read-lines.ts";
import { codexLog } from "../test-support/session-logs.ts";
import type { CodexLog } from "../test-support/session-logs.ts";
import { codexReader } from "./codex-reader.ts";

const said = (text: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const call = (id: string, cmd: string) => ({
  type: "function_call",
  call_id: id,
  name: "exec_command",
  arguments: JSON.stringify({ cmd }),
});
const output = (id: string, text: string) => ({
  type: "function_call_output",
  call_id: id,
  output: text,
});

function oneTurn(log: CodexLog): void {
  log.request("<environment_context>zsh</environment_context>");
  log.request("Run the tests.");
  log.item({ type: "reasoning", summary: [], encrypted_content: "abc" });
  log.item(said("I run them."));
  log.item(call("c1", "npm test"));
  log.item(output("c1", "Process exited with code 1\nred"));
  log.usage({ input: 100, cached: 60, output: 5 });
  log.repeatUsage();
  log.item(said("One is red."));
  log.usage({ input: 130, cached: 100, output: 7 });
}

describe("codexReader", () => {
  it("reads the items of an answer as one entry, and a repeated count of tokens once", () => {
    const log = codexLog();
    oneTurn(log);
    const { entries, calls, facts } = readLines(codexReader(), log.take());

    expect(entries.map(({ type }) => type)).toEqual([
      "user_message",
      "user_message",
      "action",
      "observation",
      "assistant_message",
    ]);
    expect(entries[3]).toMatchObject({ toolName: "exec_command", outcome: "error" });
    expect(calls.map(({ usage }) => usage)).toMatchObject([
      { inputTokens: 40, cacheReadTokens: 60, outputTokens: 5 },
      { inputTokens: 30, cacheReadTokens: 100, outputTokens: 7 },
    ]);
    expect(calls[0]).toMatchObject({ model: "gpt-5.4" });
    expect(facts).toMatchObject({ sessionId: "rollout-1", cwd: "/work/shop" });
    expect(checkHistory(entries)).toEqual([]);
  });

  it("begins a turn with what a person wrote, and with nothing else", () => {
    const log = codexLog();
    oneTurn(log);
    const turns = readItems(codexReader(), log.take()).filter(({ kind }) => kind === "turn");
    expect(turns).toMatchObject([{ turnId: "turn-1", line: 4 }]);
  });

  it("puts a message that a person sent during an answer behind the answer", () => {
    const log = codexLog();
    log.request("Run the tests.");
    log.item(call("c1", "npm test"));
    log.item(output("c1", "green"));
    log.request("And the lint.");
    log.usage({ input: 10 });
    log.item(said("Both are green."));
    const { entries } = readLines(codexReader(), log.take());

    expect(entries.map(({ type }) => type)).toEqual([
      "user_message",
      "action",
      "observation",
      "user_message",
      "assistant_message",
    ]);
  });

  it("reads a compaction as a summary of the requests that Codex kept, and says that the rest is encrypted", () => {
    const log = codexLog();
    oneTurn(log);
    log.compaction(["Run the tests.", "# AGENTS.md instructions for /work"]);
    log.item(said("I go on."));
    const { entries, compactions } = readLines(codexReader(), log.take());

    expect(compactions).toMatchObject([{ how: "summary", isEncrypted: true }]);
    expect(entries[5]).toMatchObject({
      type: "summary",
      content: "Run the tests.",
      covers: [{ from: entries[0]?.id, to: entries[4]?.id }],
    });
  });

  it("keeps the facts of the session, not of the one that it was forked from", () => {
    const log = codexLog();
    const fork = codexLog({ sessionId: "parent", cwd: "/elsewhere" });
    oneTurn(log);
    expect(readLines(codexReader(), [...log.take(), ...fork.take()]).facts).toMatchObject({
      sessionId: "rollout-1",
      cwd: "/work/shop",
    });
  });
});
