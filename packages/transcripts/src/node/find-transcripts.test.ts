import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findTranscripts } from "./find-transcripts.ts";

let home: string;
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), "home-"))));
afterAll(() => rm(home, { recursive: true }));

async function put(path: string, second: number): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), "{}\n");
  await utimes(join(home, path), second, second);
}

describe("findTranscripts", () => {
  it("finds sessions where the tools keep them, newest first, subagents with their session", async () => {
    const id = "019da9bd-7cbb-7d22-b21c-80faf72e7f8a";
    await put(".claude/projects/-work-shop/s1.jsonl", 10);
    await put(".claude/projects/-work-shop/s1/subagents/agent-a1.jsonl", 20);
    await put(".claude/projects/-work-shop/agent-b2.jsonl", 5);
    await put(".claude/projects/-work-shop/notes.txt", 50);
    await put(`.codex/sessions/2026/01/05/rollout-2026-01-05T09-00-00-${id}.jsonl`, 30);
    await put(".copilot/session-state/c1/events.jsonl", 4);
    await put(".copilot/session-state/c1/notes.jsonl", 60);
    await put(".claude/projects/-work-shop/index.json", 60);
    await put("moved/projects/p/s2.jsonl.gz", 40);

    const found = await findTranscripts({ home, env: {} });
    expect(found.map(({ format, sessionId, agentId }) => [format, sessionId, agentId])).toEqual([
      ["codex", id, undefined],
      ["claude-code", "s1", "a1"],
      ["claude-code", "s1", undefined],
      ["claude-code", "agent-b2", "b2"],
      ["copilot", "c1", undefined],
    ]);
    expect(found[2]).toMatchObject({ project: "-work-shop", bytes: 3, modifiedAtMs: 10_000 });

    const env = {
      CLAUDE_CONFIG_DIR: join(home, "moved"),
      CODEX_HOME: join(home, "none"),
      COPILOT_HOME: join(home, "none"),
    };
    expect(await findTranscripts({ home, env })).toMatchObject([{ sessionId: "s2" }]);
  });

  it("finds the sessions of one folder, whatever tool they are of", async () => {
    await put("mixed/a.jsonl", 10);
    await put("mixed/below/b.jsonl.gz", 20);
    await put("mixed/c.json", 5);
    const found = await findTranscripts({ folder: join(home, "mixed") });
    expect(found.map(({ format, sessionId }) => [format, sessionId])).toEqual([
      [undefined, "b"],
      [undefined, "a"],
    ]);
  });
});
