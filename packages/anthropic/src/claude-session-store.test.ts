import { HistoryError, observation, opaque, userMessage } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { claudeSessionStore } from "./claude-session-store.ts";
import type { ClaudeSessionStore } from "./claude-session-store.ts";
import type { ClaudeSessionLine } from "./internal/session-lines.ts";

let store: HistoryStore;
let sessions: ClaudeSessionStore;
beforeEach(() => {
  store = memoryStore();
  sessions = claudeSessionStore(store);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const key = { projectKey: "/home/ada/shop: 100%", sessionId: "3f2a" };
const line = (type: string, uuid?: string): ClaudeSessionLine => ({
  type,
  ...(uuid !== undefined && { uuid }),
});

describe("claudeSessionStore", () => {
  it("gives lines back as they came, in order, and null where nothing was written", async () => {
    const lines = [
      { type: "user", uuid: "u1", message: { role: "user", content: "Hi\u0000\uD800 🙂" } },
      { type: "summary", summary: "x", n: [null, 1.5, false, {}] },
      { type: "", text: "" },
    ];
    expect(await sessions.load(key)).toBeNull();
    await sessions.append(key, []);
    expect(await sessions.load(key)).toBeNull();
    await sessions.append(key, lines.slice(0, 2));
    await sessions.append(key, lines.slice(2));
    expect(await claudeSessionStore(store).load(key)).toEqual(lines);
    expect(await sessions.load({ ...key, subpath: "subagents/a" })).toBeNull();
  });

  it("writes a uuid once: in one append, in the next, in part of it, of other content, from two handles", async () => {
    const other = claudeSessionStore(store);
    await sessions.append(key, [line("a", "1"), line("b", "2"), line("a", "1")]);
    await sessions.append(key, [line("a", "1"), line("b", "2")]);
    await other.append(key, [line("b", "2"), line("c", "3"), line("title"), line("title")]);
    await other.append(key, [line("another", "1"), line("d", "4")]);
    expect((await sessions.load(key))?.map(({ type }) => type).join(" ")).toBe(
      "a b c title title d",
    );
    await Promise.all(
      [sessions, other].map((one) => one.append(key, [line("e", "5"), line("f", "6")])),
    );
    expect(await sessions.load(key)).toHaveLength(8);
  });

  it("keeps lines of any length, each whole or not at all", async () => {
    const long = { type: "user", uuid: "long", text: '"\u0001🙂'.repeat(700_000) };
    await sessions.append(key, [line("a", "1"), long, line("b", "2")]);
    await sessions.append(key, [long]);
    expect(await sessions.load(key)).toEqual([line("a", "1"), long, line("b", "2")]);
    // A short line of the same uuid was there first.
    await sessions.append({ ...key, sessionId: "other" }, [line("a", "long")]);
    await sessions.append({ ...key, sessionId: "other" }, [long]);
    expect(await sessions.load({ ...key, sessionId: "other" })).toEqual([line("a", "long")]);
  });

  it("keeps projects, sessions and subagents apart, lists them, and deletes a session with its subagents", async () => {
    let clock = 1_700_000_000_000;
    vi.spyOn(Date, "now").mockImplementation(() => (clock += 1000));
    store = memoryStore();
    const timed = claudeSessionStore(store);
    const names = ["a", "a:", "a/b", "a%3A", "ä🙂"];
    for (const name of names) {
      await timed.append({ projectKey: name, sessionId: "s" }, [line("main")]);
      await timed.append({ projectKey: name, sessionId: "s", subpath: `sub/${name}` }, [
        line("sub"),
      ]);
      await timed.append({ projectKey: "p", sessionId: name }, [line(name)]);
    }
    for (const name of names) {
      expect(await timed.load({ projectKey: name, sessionId: "s" })).toEqual([line("main")]);
      expect(await timed.listSubkeys({ projectKey: name, sessionId: "s" })).toEqual([
        `sub/${name}`,
      ]);
      expect(await timed.listSessions(name)).toMatchObject([{ sessionId: "s" }]);
    }
    const listed = await timed.listSessions("p");
    expect(listed.map(({ sessionId }) => sessionId).toSorted()).toEqual(names.toSorted());
    expect(listed.every(({ mtime }) => Number.isInteger(mtime) && mtime > 1e12)).toBe(true);
    const times = new Map(listed.map(({ sessionId, mtime }) => [sessionId, mtime]));
    expect(times.get("a:")).toBeGreaterThan(times.get("a") ?? Infinity);

    await timed.delete({ projectKey: "a", sessionId: "s" });
    expect(await timed.load({ projectKey: "a", sessionId: "s" })).toBeNull();
    expect(await timed.listSubkeys({ projectKey: "a", sessionId: "s" })).toEqual([]);
    expect(await timed.listSessions("a")).toEqual([]);
    expect(await timed.load({ projectKey: "a:", sessionId: "s" })).toEqual([line("main")]);
    await timed.delete({ projectKey: "a:", sessionId: "s", subpath: "sub/a:" });
    expect(await timed.load({ projectKey: "a:", sessionId: "s" })).toEqual([line("main")]);
    await expect(
      timed.append({ projectKey: "a", sessionId: "s" }, [line("x")]),
    ).rejects.toMatchObject({
      code: "THREAD_DELETED",
    });
  });

  it("loses and doubles nothing where appends fail before or after they were written and are tried again", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
        fc.infiniteStream(fc.constantFrom("well", "well", "before", "after")),
        async (batches, fates) => {
          const kept = memoryStore();
          const failing: HistoryStore = {
            ...kept,
            append: async (...call) => {
              const fate = fates.next().value;
              const lost = new HistoryError("lost", { code: "OUTCOME_UNKNOWN" });
              if (fate === "before") throw lost;
              const done = await kept.append(...call);
              if (fate === "after") throw lost;
              return done;
            },
          };
          const unsure = claudeSessionStore(failing);
          let count = 0;
          const all = batches.map((batch) =>
            batch.map((isKnown) => {
              count += 1;
              return line(`line ${count}`, isKnown ? `u${count}` : undefined);
            }),
          );
          for (const lines of all) {
            for (let isDone = false; !isDone;) {
              isDone = await unsure.append(key, lines).then(
                () => true,
                () => false,
              );
            }
          }
          expect((await claudeSessionStore(kept).load(key)) ?? []).toEqual(all.flat());
        },
      ),
    );
  });

  it("writes appends in the order of the calls, also where nobody waits", async () => {
    const lines = Array.from({ length: 50 }, (_, index) =>
      line(`${index}`, index % 3 ? `${index}` : undefined),
    );
    await Promise.all(lines.map((one) => sessions.append(key, [one])));
    expect(await sessions.load(key)).toEqual(lines);
  });

  it("refuses keys without a name, a thread of something else, and to be made without a store", async () => {
    const invalid = { code: "INVALID_OPTION" };
    await expect(sessions.append({ ...key, subpath: "" }, [line("a")])).rejects.toMatchObject(
      invalid,
    );
    await expect(sessions.load({ ...key, sessionId: "" })).rejects.toMatchObject(invalid);
    await expect(sessions.listSessions("\uD800")).rejects.toMatchObject(invalid);
    expect(() => Reflect.apply(claudeSessionStore, undefined, [])).toThrow("store");
    for (const entry of [
      userMessage({ content: "Hello." }),
      opaque({ data: { of: "a", index: 0 } }),
      observation({ callId: "c", toolName: "t", outcome: "success", content: "" }),
    ]) {
      const foreign = memoryStore();
      await foreign.append("claude-session:p:s:", [entry]);
      const loading = claudeSessionStore(foreign).load({ projectKey: "p", sessionId: "s" });
      await expect(loading).rejects.toMatchObject({ code: "THREAD_CORRUPT" });
    }
  });
});
