import * as sqlite from "node:sqlite";

import { describe, expect, it, onTestFinished } from "vitest";

import { messages } from "../../test-support/messages.ts";
import { temporaryFile } from "../../test-support/temporary-folder.ts";
import { sqliteStore } from "../sqlite-store.ts";
import { answerFetch } from "./answer-fetch.ts";
import { writeIndex } from "./append-batch.ts";
import { openDatabase } from "./open-database.ts";
import { sqlOf } from "./sql.ts";
import { createThread, findThread } from "./thread-row.ts";

describe("answerFetch", () => {
  it.each([
    [{}, [9, 7, 4, 1]],
    [{ after: 4 }, [9, 7]],
    [{ before: 7 }, [4, 1]],
    [{ after: 1, before: 9 }, [7, 4]],
    [{ after: 1, before: 9, limit: 1 }, [7]],
    [{ limit: Infinity }, [9, 7, 4, 1]],
  ])("gives references %j, the newest first, without the bounds themselves", (range, keys) => {
    const database = openDatabase(sqlite, { path: temporaryFile(), survivesPowerLoss: false });
    onTestFinished(() => database.close());
    const sql = sqlOf(database);
    const rows = [1, 4, 7, 9].map((key) => ({ key, references: `r${key}` }));
    const references = new Map([
      ["all", rows],
      ["agent:all", [{ key: 5, references: "other" }]],
    ]);
    const thread = createThread(sql, "t", { version: 0 });
    writeIndex(sql, thread, { version: 9, head: '{"version":0}', facts: new Map(), references });
    const fetch = { kind: "references", stream: "all", limit: 10, ...range } as const;
    expect(answerFetch(sql, findThread(sql, "t"), fetch)).toEqual({
      kind: "references",
      rows: keys.map((key) => ({ key, references: `r${key}` })),
      isMissing: false,
    });
    expect(answerFetch(sql, undefined, fetch)).toEqual({ kind: "references", rows: [] });
  });

  it("gives a fork's log from the oldest on, whosever rows it is in", async () => {
    const path = temporaryFile();
    const store = sqliteStore({ path });
    await store.append("t", messages("a", "b", "c"));
    await store.fork("t", { at: "b", as: "x" });
    await store.append("t/x", messages("d"));
    await store.fork("t/x", { at: "d", as: "y" });
    await store.append("t/x/y", messages("e"));
    await store.close();
    const database = openDatabase(sqlite, { path, survivesPowerLoss: false });
    onTestFinished(() => database.close());
    const sql = sqlOf(database);
    const fetch = { kind: "log", from: 0, to: 9 } as const;
    const answer = answerFetch(sql, findThread(sql, "t/x/y"), fetch);
    expect(answer.kind === "entries" && answer.rows.map(({ position }) => position)).toEqual([
      0, 1, 2, 3,
    ]);
    expect(JSON.stringify(answer)).not.toContain("message c");
  });
});
