import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { stores } from "../test-support/open-stores.ts";
import { claudeSessionStore, memoryToolHandlers } from "./anthropic.ts";
import { sqliteStore } from "./store-sqlite.ts";

describe.each(Object.entries(stores))("the memory tool in %s", (_, start) => {
  it("keeps the edits of two processes, and what was moved, and forgets what was deleted", async () => {
    const { open, close } = await start();
    try {
      const [one, other] = [open(), open()].map((store) =>
        memoryToolHandlers({ store, threadId: "memory" }),
      );
      if (one === undefined || other === undefined) throw new Error("Expected two handles.");
      const path = "/memories/notes/ada.md";
      await one.create({ path, file_text: "end" });
      await expect(other.create({ path, file_text: "" })).rejects.toThrow("already exists");
      const lines = Array.from({ length: 10 }, (_line, index) => `line ${index}`);
      await Promise.all(
        lines.map((insert_text, index) =>
          (index % 2 === 0 ? one : other).insert({ path, insert_line: 0, insert_text }),
        ),
      );
      await other.rename({ old_path: "/memories/notes", new_path: "/memories/old" });
      const shown = await one.view({ path: "/memories/old/ada.md" });
      for (const line of [...lines, "end"]) expect(shown).toContain(line);
      expect(await one.view({ path: "/memories" })).not.toContain("notes");
      await one.delete({ path: "/memories/old" });
      await expect(other.view({ path: "/memories/old" })).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
    } finally {
      await close();
    }
  });
});

const key = { projectKey: "shop", sessionId: "3f2a" };

describe.each(Object.entries(stores))("a session of the Claude Agent SDK in %s", (_, start) => {
  it("is the same after a restart, with two processes and with answers that got lost", async () => {
    const { open, close } = await start();
    try {
      const [one, other] = [open(), open()].map((store) => claudeSessionStore(unsure(store)));
      if (one === undefined || other === undefined) throw new Error("Expected two handles.");
      const lines = Array.from({ length: 30 }, (_line, index) => ({
        type: index % 7 === 0 ? "title" : "user",
        ...(index % 7 !== 0 && { uuid: `u${index}` }),
        text: `line ${index} ${"x".repeat(index === 5 ? 1_200_000 : 10)}`,
      }));
      for (const [index, line] of lines.entries()) {
        const sessions = index % 2 === 0 ? one : other;
        // The SDK tries three times; this one until it is told that the line is there.
        for (let isThere = false; !isThere;) {
          isThere = await sessions.append(key, [line]).then(
            () => true,
            () => false,
          );
        }
      }
      // Both import it again.
      const known = lines.filter(({ uuid }) => uuid !== undefined);
      const importing = claudeSessionStore(open());
      await Promise.all(
        [importing, claudeSessionStore(open())].map((all) => all.append(key, known)),
      );
      expect(await claudeSessionStore(open()).load(key)).toEqual(lines);
      expect(await importing.listSessions("shop")).toMatchObject([{ sessionId: "3f2a" }]);
    } finally {
      await close();
    }
  });
});

describe("a session of the Claude Agent SDK whose process is killed", () => {
  it("has every acknowledged line once, in order, and goes on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "agent-history-killed-"));
    try {
      const path = join(folder, "sessions.db");
      const script = join(import.meta.dirname, "../test-support/write-session-lines.ts");
      const child = spawn(process.execPath, [script, path], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let acknowledged = "";
      for await (const chunk of child.stdout) {
        acknowledged += String(chunk);
        if (acknowledged.split("\n").length > 200) child.kill("SIGKILL");
      }
      const count = acknowledged.split("\n").length - 1;
      const sessions = claudeSessionStore(sqliteStore({ path }));
      const lines = (await sessions.load(key)) ?? [];
      expect(lines.length).toBeGreaterThanOrEqual(count);
      expect(lines.map(({ uuid }) => uuid)).toEqual(lines.map((_line, index) => `u${index}`));
      // What was on its way comes again.
      await sessions.append(key, [...lines.slice(-5), { type: "user", uuid: "next" }]);
      expect(await sessions.load(key)).toEqual([...lines, { type: "user", uuid: "next" }]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Every third write is done, and its answer lost. */
function unsure(store: HistoryStore): HistoryStore {
  let writes = 0;
  return {
    ...store,
    append: async (...call) => {
      const done = await store.append(...call);
      writes += 1;
      if (writes % 3 === 0) throw new HistoryError("lost", { code: "OUTCOME_UNKNOWN" });
      return done;
    },
  };
}

// Anthropic's own suite: the folder `examples/session-stores` of anthropics/claude-agent-sdk-typescript.
const suites = process.env["CLAUDE_SESSION_STORES"];
interface Suite {
  readonly runSessionStoreConformance: (makeStore: () => Promise<object>) => void;
}

describe.skipIf(suites === undefined).each(Object.entries(stores))(
  "Anthropic's conformance suite of session stores on %s",
  async (_, start) => {
    if (suites === undefined) return;
    const suite: Suite = await import(join(suites, "shared/conformance.ts"));
    suite.runSessionStoreConformance(async () => claudeSessionStore((await start()).open()));
  },
);
