import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { claudeCodeLog, codexLog } from "../../transcripts/test-support/session-logs.ts";
import type { ClaudeCodeLog } from "../../transcripts/test-support/session-logs.ts";

const MINUTE = 60_000;
const API = "01a2b3c4-0000-4000-8000-000000000001";

/** Writes sessions of both tools into a home folder, as the tools do. They hold what the commands tell of. */
export async function writeSessions(home: string): Promise<void> {
  const claude = join(home, ".claude/projects/-home-ada-shop");
  const codex = join(home, ".codex/sessions/2026/01/06");
  await mkdir(join(claude, "3f2a9c10-shop/subagents"), { recursive: true });
  await mkdir(codex, { recursive: true });
  const files = [
    [join(claude, "3f2a9c10-shop.jsonl"), shopSession()],
    [join(claude, "3f2a9c10-shop/subagents/agent-a1.jsonl"), subagent()],
    [join(codex, `rollout-2026-01-06T09-00-00-${API}.jsonl`), apiSession()],
  ] as const;
  for (const [second, [path, content]] of files.entries()) {
    await writeFile(path, content);
    // Sessions are ordered by when they were last written.
    await utimes(path, second, second);
  }
}

let calls = 0;

interface Step {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
  readonly result: string;
  readonly read: number;
  readonly written: number;
}

function step(log: ClaudeCodeLog, { name, input, result, read, written }: Step): void {
  calls += 1;
  const id = `call-${calls}`;
  log.answer({ calls: [{ id, name, input }], usage: { input: 4, read, written, output: 120 } });
  log.result(id, result, result.startsWith("Error"));
}

function file(name: string): { readonly file_path: string } {
  return { file_path: `/home/ada/shop/src/checkout/${name}` };
}

function text(name: string): string {
  return `export const ${name}Total = 1234;\n`.repeat(300);
}

function shopSession(): string {
  calls = 0;
  const log = claudeCodeLog({ sessionId: "3f2a9c10-shop", cwd: "/home/ada/shop" });
  log.request("Why is the total of the cart wrong when a voucher is used twice?");
  step(log, {
    name: "Read",
    input: file("cart.ts"),
    result: text("cart"),
    read: 18_000,
    written: 9000,
  });
  step(log, {
    name: "Read",
    input: file("voucher.ts"),
    result: text("voucher"),
    read: 27_000,
    written: 4000,
  });
  step(log, {
    name: "Read",
    input: file("cart.ts"),
    result: text("cart"),
    read: 31_000,
    written: 4000,
  });
  log.answer({
    text: "The voucher is subtracted twice.",
    usage: { read: 35_000, written: 4000, output: 90 },
  });
  log.wait(12 * MINUTE);
  fix(log);
  return `${log.take().join("\n")}\n{ torn\n`;
}

function fix(log: ClaudeCodeLog): void {
  log.request("Fix it.");
  step(log, {
    name: "Edit",
    input: file("voucher.ts"),
    result: "Updated.",
    read: 18_000,
    written: 21_200,
  });
  step(log, {
    name: "Bash",
    input: { command: "npx vitest run src/checkout/cart.test.ts" },
    result: "Error: voucherTotal is not a function\n at cart.test.ts:12",
    read: 39_200,
    written: 400,
  });
  log.clearing(["call-1"]);
  step(log, {
    name: "Grep",
    input: { pattern: "voucherTotal" },
    result: "src/checkout/voucher.ts:7",
    read: 18_000,
    written: 17_900,
  });
  log.compaction(
    "Changed src/checkout/voucher.ts so that a voucher counts once; voucherTotal is next.",
    158_000,
  );
  step(log, {
    name: "Read",
    input: file("cart.ts"),
    result: text("cart"),
    read: 18_000,
    written: 2000,
  });
  step(log, {
    name: "Edit",
    input: file("voucher.ts"),
    result: "Updated.",
    read: 20_000,
    written: 4000,
  });
  step(log, {
    name: "Grep",
    input: { pattern: "cartTotal|voucherTotal" },
    result: "none",
    read: 24_000,
    written: 300,
  });
  log.answer({
    text: "Fixed. The test had said: Error: voucherTotal is not a function",
    usage: { read: 24_300, written: 200, output: 60 },
  });
}

function subagent(): string {
  const log = claudeCodeLog({ sessionId: "3f2a9c10-shop", cwd: "/home/ada/shop", agentId: "a1" });
  log.request("Find all users of voucherTotal.");
  log.answer({
    text: "There are none.",
    usage: { written: 12_000, output: 30 },
    model: "claude-haiku-4-5",
  });
  return `${log.take().join("\n")}\n`;
}

function apiSession(): string {
  const startMs = Date.UTC(2026, 0, 6, 9);
  const log = codexLog({
    sessionId: API,
    cwd: "/home/ada/api",
    model: "gpt-5.9-secret",
    startMs,
  });
  log.request("Run the tests of the API.");
  log.item({
    type: "function_call",
    call_id: "c1",
    name: "exec_command",
    arguments: '{"cmd":"npm test"}',
  });
  log.item({ type: "function_call_output", call_id: "c1", output: "Process exited with code 0\n" });
  log.usage({ input: 24_000, cached: 2400, output: 300 });
  log.item({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: "All pass." }],
  });
  log.usage({ input: 25_000, cached: 23_900, output: 40 });
  return `${log.take().join("\n")}\n`;
}
