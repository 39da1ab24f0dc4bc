import { isHistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";

import { memoryToolHandlers } from "./memory-tool-handlers.ts";
import type { MemoryToolHandlers } from "./memory-tool-handlers.ts";

let store: HistoryStore;
let memory: MemoryToolHandlers;
beforeEach(() => {
  store = memoryStore();
  memory = memoryToolHandlers({ store, threadId: "m" });
});

const path = "/memories/plan.md";
const MISSING = "does not exist. Please provide a valid path.";

describe("memoryToolHandlers", () => {
  it("answers in the words of Anthropic's page", async () => {
    expect(await memory.create({ path, file_text: "one\ntwo\nthree" })).toBe(
      "File created successfully at: /memories/plan.md",
    );
    expect(await memory.view({ path })).toBe(
      "Here's the content of /memories/plan.md with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree",
    );
    expect(await memory.view({ path, view_range: [2, -1] })).toContain(":\n     2\ttwo\n");
    expect(await memory.view({ path, view_range: [2, 2] })).not.toContain("three");
    expect(await memory.str_replace({ path, old_str: "two", new_str: "2\n$&" })).toBe(
      "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\t2\n     3\t$&\n     4\tthree",
    );
    expect(await memory.insert({ path, insert_line: 0, insert_text: "zero\n" })).toBe(
      "The file /memories/plan.md has been edited.",
    );
    expect(await memory.rename({ old_path: path, new_path: "/memories/old/a.md" })).toBe(
      "Successfully renamed /memories/plan.md to /memories/old/a.md",
    );
    expect(await memory.view({ path: "/memories/old/a.md" })).toContain("1\tzero\n     2\tone");
    await memory.create({ path: "/memories/old/b/c/d.md", file_text: "" });
    await memory.create({ path: "/memories/.hidden", file_text: "x" });
    expect(await memory.view({ path: "/memories/" })).toBe(
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n19B\t/memories\n19B\t/memories/old/\n19B\t/memories/old/a.md\n0B\t/memories/old/b/",
    );
    expect(await memory.delete({ path: "/memories/old" })).toBe(
      "Successfully deleted /memories/old",
    );
    expect(await memory.view({ path: "/memories" })).toMatch(/0B\t\/memories$/);
  });

  it.each([
    ["view", { path }, `The path ${path} ${MISSING}`],
    ["str_replace", { path, old_str: "a", new_str: "b" }, `The path ${path} ${MISSING}`],
    ["insert", { path, insert_line: 0, insert_text: "" }, `The path ${path} ${MISSING}`],
    ["delete", { path }, `The path ${path} does not exist`],
    ["rename", { old_path: path, new_path: "/memories/b" }, `The path ${path} does not exist`],
  ] as const)("says with NOT_FOUND what is missing: %s", async (command, input, message) => {
    const run = memory[command] as (input: object) => Promise<string>;
    await expect(run(input)).rejects.toMatchObject({ code: "NOT_FOUND", message });
  });

  it("refuses what cannot be done, and changes nothing", async () => {
    await memory.create({ path, file_text: "a b a\na" });
    await memory.create({ path: "/memories/dir/x", file_text: "" });
    const before = await store.listState("m");
    const refusals: readonly (readonly [() => Promise<string>, string])[] = [
      [() => memory.create({ path, file_text: "" }), `File ${path} already exists`],
      [
        () => memory.create({ path: "/memories/dir", file_text: "" }),
        "File /memories/dir already exists",
      ],
      [() => memory.create({ path: `${path}/x`, file_text: "" }), `The path ${path} is a file.`],
      [
        () => memory.str_replace({ path, old_str: "a", new_str: "b" }),
        `No replacement was performed. Multiple occurrences of old_str \`a\` in lines: 1, 2. Please ensure it is unique`,
      ],
      [
        () => memory.str_replace({ path, old_str: "c", new_str: "b" }),
        `No replacement was performed, old_str \`c\` did not appear verbatim in ${path}.`,
      ],
      [
        () => memory.insert({ path, insert_line: 3, insert_text: "" }),
        "Invalid `insert_line` parameter: 3. It should be within the range of lines of the file: [0, 2]",
      ],
      [
        () => memory.insert({ path: "/memories/dir", insert_line: 0, insert_text: "" }),
        "not a file",
      ],
      [() => memory.delete({ path: "/memories" }), "Cannot delete the /memories directory itself"],
      [
        () => memory.rename({ old_path: path, new_path: "/memories/dir" }),
        "/memories/dir already exists",
      ],
      [
        () => memory.rename({ old_path: "/memories/dir", new_path: "/memories/dir/y" }),
        "into itself",
      ],
      [() => memory.view({ path, view_range: [2, 1] }), "Invalid `view_range` parameter"],
    ];
    for (const [refusal, message] of refusals) {
      await expect(refusal()).rejects.toMatchObject({ code: "INVALID_OPTION" });
      await expect(refusal()).rejects.toThrow(message);
    }
    expect(await store.listState("m")).toEqual(before);
  });

  it.each([
    "/etc/passwd",
    "/memoriesx/a",
    "memories/a",
    "/memories/../a",
    "/memories/a/../../b",
    "/memories/./a",
    "/memories//a",
    "/memories/%2e%2e/a",
    "/memories/%2E%2e%2Fa",
    "/memories/a%00",
    "/memories/a\0b",
    "/memories/a\\..\\b",
    "/memories/\uD800",
    `/memories/${"x".repeat(1000)}`,
  ])("refuses the path %j in every command, and writes nothing", async (bad) => {
    await memory.create({ path, file_text: "a" });
    for (const refusal of [
      () => memory.view({ path: bad }),
      () => memory.create({ path: bad, file_text: "" }),
      () => memory.str_replace({ path: bad, old_str: "a", new_str: "b" }),
      () => memory.insert({ path: bad, insert_line: 0, insert_text: "" }),
      () => memory.delete({ path: bad }),
      () => memory.rename({ old_path: path, new_path: bad }),
      () => memory.rename({ old_path: bad, new_path: path }),
    ]) {
      await expect(refusal()).rejects.toMatchObject({ code: "INVALID_OPTION" });
    }
    expect((await store.listState("m")).items).toHaveLength(1);
  });

  it("loses no edit of several at once, nor one of a file that is moved meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 6 }), async (scheduler, count) => {
        const own = memoryStore();
        const slow: HistoryStore = {
          ...own,
          getState: scheduler.scheduleFunction((...call: Parameters<HistoryStore["getState"]>) =>
            own.getState(...call),
          ),
          setState: scheduler.scheduleFunction((...call: Parameters<HistoryStore["setState"]>) => {
            const writing = own.setState(...call);
            // The scheduler looks at it later than the runtime, which would report a conflict that nobody has seen yet.
            writing.catch(() => undefined);
            return writing;
          }),
        };
        const quick = memoryToolHandlers({ store: own, threadId: "m" });
        await quick.create({ path, file_text: "" });
        const to = "/memories/moved.md";
        const writers = Array.from({ length: count }, async (_, at) => {
          const writer = memoryToolHandlers({ store: slow, threadId: "m" });
          const insert_text = `line ${at}`;
          try {
            await writer.insert({ path, insert_line: 0, insert_text });
          } catch (error) {
            // It was moved before.
            if (!isHistoryError(error, "NOT_FOUND")) throw error;
            await writer.insert({ path: to, insert_line: 0, insert_text });
          }
        });
        const move = memoryToolHandlers({ store: slow, threadId: "m" }).rename({
          old_path: path,
          new_path: to,
        });
        await scheduler.waitFor(Promise.allSettled([...writers, move]));
        const { items } = await own.listState("m");
        const all = items.map(({ value }) => JSON.stringify(value)).join("\n");
        for (let at = 0; at < count; at += 1) expect(all).toContain(`line ${at}`);
      }),
    );
  });

  it("refuses to be made without a store, and commands of another shape", async () => {
    const make = (options: object): unknown =>
      Reflect.apply(memoryToolHandlers, undefined, [options]);
    expect(() => make({ threadId: "m" })).toThrow("store");
    expect(() => make({ store })).toThrow("threadId");
    await memory.create({ path, file_text: "a" });
    const strange: readonly (readonly [keyof MemoryToolHandlers, object])[] = [
      ["view", {}],
      ["view", { path, view_range: ["1"] }],
      ["create", { path: "/memories/b" }],
      ["str_replace", { path, old_str: 1 }],
      ["insert", { path, insert_line: "0", insert_text: "" }],
      ["insert", { path, insert_line: 0 }],
      ["rename", { old_path: path }],
    ];
    for (const [command, input] of strange) {
      const answer: unknown = Reflect.apply(memory[command], memory, [input]);
      await expect(answer).rejects.toMatchObject({ code: "INVALID_OPTION" });
    }
  });

  it("lists folders of any size, and lets what the store throws through", async () => {
    for (let at = 0; at < 250; at += 1) {
      await memory.create({ path: `/memories/many/${at}.md`, file_text: "x" });
    }
    expect((await memory.view({ path: "/memories/many" })).split("\n")).toHaveLength(252);
    await expect(memory.create({ path, file_text: "x".repeat(1_000_001) })).rejects.toMatchObject({
      code: "TOO_LARGE",
    });
    const signal = AbortSignal.abort();
    const stopped = memoryToolHandlers({ store, threadId: "m", signal });
    await expect(stopped.view({ path })).rejects.toMatchObject({ code: "ABORTED" });
  });
});
