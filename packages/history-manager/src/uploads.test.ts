import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager, NewAttachment } from "./index.ts";

const CALL = { systemMessage: "s" };

describe("uploads", () => {
  it("are shown whole while they are within their share, by identity of what is in the log", async () => {
    const history = manager(1000, 0.5);
    await ask(history, "u1", { id: "f1", content: "a".repeat(300) });
    await ask(history, "u2", { id: "f2", content: "b".repeat(200) });
    const { entries } = await history.historyForModelCall(CALL);
    expect(uploads(entries)).toEqual(["a".repeat(300), "b".repeat(200)]);
  });

  it("have their share together: the newest are kept, one is cut short, the older become a line", async () => {
    const history = manager(1000, 0.5);
    await ask(history, "u1", { id: "f1", name: "old.txt", content: "a".repeat(300) });
    await ask(history, "u2", { id: "f2", content: "b".repeat(600) });
    await ask(history, "u3", { id: "f3", content: "c".repeat(100) });
    const { entries } = await history.historyForModelCall(CALL);
    const [first, second = "", third] = uploads(entries);

    expect(first).toBe("[upload left out: old.txt, 300 tokens]");
    expect(second).toMatch(/^b{200,}\n\[\d+ more characters of this upload are left out\]$/);
    const left = second.indexOf("\n");
    expect(second).toContain(`[${600 - left} more`);
    expect(second.length).toBeLessThanOrEqual(400);
    expect(third).toBe("c".repeat(100));
  });

  it("that are no text cannot be cut, only left out", async () => {
    const history = manager(1000, 0.1);
    const source = { kind: "data", base64: "x".repeat(500) } as const;
    await ask(history, "u1", { id: "f1", content: [{ type: "file", source, name: "a.pdf" }] });
    const { entries } = await history.historyForModelCall(CALL);
    expect(uploads(entries)).toEqual([expect.stringMatching(/^\[upload left out, \d+ tokens\]$/)]);
  });

  it("are never cut within a character", async () => {
    const history = manager(1000, 0.5);
    await ask(history, "u1", { id: "f1", content: "😀".repeat(500) });
    const { entries } = await history.historyForModelCall(CALL);
    const [text = ""] = uploads(entries);
    expect(new TextDecoder().decode(new TextEncoder().encode(text))).toBe(text);
    expect(text).toContain("more characters");
  });

  it("are shown by choice", async () => {
    const history = manager(1000, 1);
    await ask(history, "u1", { id: "f1", content: "1" });
    await ask(history, "u2", { id: "f2", content: "2" });
    const shown = async (chosen: readonly string[]): Promise<readonly string[]> =>
      uploads((await history.historyForModelCall({ ...CALL, uploads: chosen })).entries);
    expect(await shown(["f2", "f9"])).toEqual(["2"]);
    expect(await shown([])).toEqual([]);
  });

  it("may be shut out by a share of 0, and pinned ones stay whole", async () => {
    const history = manager(1000, 0);
    await ask(history, "u1", { id: "f1", content: "1", pinned: true });
    await ask(history, "u2", { id: "f2", content: "2" });
    const { entries } = await history.historyForModelCall(CALL);
    expect(uploads(entries)).toEqual(["1", "[upload left out, 1 tokens]"]);
  });

  it("may have 60 % of the prompt where nothing is said", async () => {
    const window = { contextTokens: 2000, outputReserveTokens: 500, marginTokens: 500 };
    const history = createHistoryManager(managerOptions({ window }));
    await ask(history, "u1", { id: "f1", content: "x".repeat(600) });
    await ask(history, "u2", { id: "f2", content: "x" });
    const { entries } = await history.historyForModelCall(CALL);
    const tokens = uploads(entries).reduce((sum, text) => sum + text.length, 0);
    expect(tokens).toBeLessThanOrEqual(600);
    expect(tokens).toBeGreaterThan(500);
  });
});

function manager(contextTokens: number, maxShare: number): HistoryManager {
  return createHistoryManager(
    managerOptions({ window: { contextTokens }, uploads: { maxShare }, counter }),
  );
}

async function ask(history: HistoryManager, id: string, file: NewAttachment): Promise<void> {
  await history.addUserMessage({ id, content: "q", attachments: [file] });
}

function uploads(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap((entry) =>
    entry.type === "attachment" && typeof entry.content === "string" ? [entry.content] : [],
  );
}
