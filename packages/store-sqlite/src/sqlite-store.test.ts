import * as sqlite from "node:sqlite";

import { describe, expect, it, vi } from "vitest";

import { messages } from "../test-support/messages.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

describe("sqliteStore", () => {
  it("refuses options that can never work", () => {
    const wrong = [
      { path: "" },
      { path: undefined as unknown as string },
      { path: "x", busyTimeoutMs: -1 },
      { path: "x", busyTimeoutMs: Number.NaN },
    ];
    for (const options of wrong) {
      expect(() => sqliteStore(options)).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    }
  });

  it("names the Node that is needed where this one has no node:sqlite", () => {
    const loading = vi.spyOn(process, "getBuiltinModule").mockReturnValueOnce(undefined);
    expect(() => sqliteStore({ path: ":memory:" })).toThrow(/22\.13/u);
    loading.mockRestore();
  });

  it("keeps the warning of an experimental module quiet, and no other", () => {
    const warning = vi.fn<() => void>();
    const host: { emitWarning: unknown } = process;
    const before = host.emitWarning;
    host.emitWarning = warning;
    const loading = vi.spyOn(process, "getBuiltinModule").mockImplementationOnce(() => {
      process.emitWarning("SQLite is an experimental feature", "ExperimentalWarning");
      return sqlite;
    });
    sqliteStore({ path: ":memory:" });
    expect(warning).not.toHaveBeenCalled();
    expect(host.emitWarning).toBe(warning);
    host.emitWarning = before;
    loading.mockRestore();
  });

  it("keeps threads in memory, each handle its own", async () => {
    const [store, other] = [sqliteStore({ path: ":memory:" }), sqliteStore({ path: ":memory:" })];
    await store.append("t", messages("a", "b"));
    await store.fork("t", { at: "a", as: "x" });
    expect((await store.read("t/x")).entries).toEqual(messages("a"));
    expect((await other.read("t")).entries).toEqual([]);
    expect((await store.describe()).durability).toMatch(/Nothing survives/);
    await store.close();
    await other.close();
  });

  it("begins and changes a thread at one time, however slow the first append is", async () => {
    const store = sqliteStore({ path: ":memory:" });
    let now = 1_000;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => (now += 1));
    try {
      await store.append("t", messages("a"));
    } finally {
      clock.mockRestore();
    }
    const metadata = await store.getMetadata("t");
    expect(metadata?.updatedAtMs).toBe(metadata?.createdAtMs);
    await store.close();
  });

  it("tells what is in force, as SQLite says", async () => {
    const path = temporaryFile();
    for (const survivesPowerLoss of [false, true]) {
      const store = sqliteStore({ path, survivesPowerLoss });
      const { durability, details } = await store.describe();
      expect(details).toMatchObject({
        journalMode: "wal",
        synchronous: survivesPowerLoss ? 2 : 1,
        fileVersion: 1,
        threads: 0,
      });
      expect(/is on the disk/.test(durability)).toBe(survivesPowerLoss);
      await store.close();
    }
  });

  it("does the writes that it was given before it closes", async () => {
    const path = temporaryFile();
    const store = sqliteStore({ path });
    const writes = Promise.all(["a", "b"].map((id) => store.append("t", messages(id))));
    await store.close();
    await writes;
    const later = sqliteStore({ path });
    expect((await later.read("t")).version).toBe(2);
    await later.close();
  });
});
