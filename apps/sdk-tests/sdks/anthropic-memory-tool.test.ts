import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { memoryToolHandlers } from "@agent-history/anthropic";
import { memoryStore } from "@agent-history/store-kit";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const path = fc.constantFrom(
  "/memories",
  "/memories/a",
  "/memories/b.md",
  "/memories/a/c.md",
  "/memories/a/d/e.md",
  "/memories/../x",
  "/elsewhere",
);
const text = fc.constantFrom("", "one", "one\ntwo", "one\ntwo\nthree\n", "$& one", "tüw🙂");
const part = fc.constantFrom("one", "two", "three", "none", "🙂");
const line = fc.integer({ min: -1, max: 4 });

const command = fc.oneof(
  fc.record({ command: fc.constant("view" as const), path }),
  fc.record({
    command: fc.constant("view" as const),
    path,
    view_range: fc.tuple(fc.integer({ min: 1, max: 2 }), fc.constantFrom(-1, 2, 3)),
  }),
  fc.record({ command: fc.constant("create" as const), path, file_text: text }),
  fc.record({ command: fc.constant("str_replace" as const), path, old_str: part, new_str: text }),
  fc.record({
    command: fc.constant("insert" as const),
    path,
    insert_line: line,
    insert_text: text,
  }),
  fc.record({ command: fc.constant("delete" as const), path }),
  fc.record({ command: fc.constant("rename" as const), old_path: path, new_path: path }),
);

/** A folder that became empty is gone in a store and stays on a disk; its size on a disk is that of its list of files. */
function comparable(answer: string): string {
  return answer
    .split("\n")
    .map((row) => row.replace(/^[\d.]+[BKM]\t/, ""))
    .filter((row) => !row.endsWith("/") && row !== "")
    .join("\n");
}

interface MemoryTool {
  readonly run: (
    input: typeof command extends fc.Arbitrary<infer Input> ? Input : never,
  ) => unknown;
}

async function answerOf(tool: MemoryTool, input: Parameters<MemoryTool["run"]>[0]) {
  try {
    return { isRefused: false, answer: comparable(String(await tool.run(input))) };
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    // What a disk refuses, it says in words of its own.
    return { isRefused: true, answer: /^E[A-Z]+: /.test(message) ? undefined : message };
  }
}

async function holdsEmptyFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const folders = names.filter((one) => one.isDirectory() && one.parentPath !== folder);
  return folders.some(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return !names.some((one) => one.parentPath === path);
  });
}

describe("memoryToolHandlers beside the SDK's own memory on a disk", () => {
  it("answer the same to the same commands, and refuse the same", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        const folder = await mkdtemp(join(tmpdir(), "memory-tool-"));
        try {
          const theirs = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(folder));
          const ours = betaMemoryTool(
            memoryToolHandlers({ store: memoryStore(), threadId: "memory" }),
          );
          for (const input of commands) {
            const [expected, got] = [await answerOf(theirs, input), await answerOf(ours, input)];
            // From there on the two are not the same: a store has no empty folders.
            compared += 1;
            if (await holdsEmptyFolder(folder)) return;
            const { answer = got.answer } = expected;
            expect({ input, ...got }).toEqual({ input, ...expected, answer });
          }
        } finally {
          await rm(folder, { recursive: true });
        }
      }),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(1000);
  });
});
