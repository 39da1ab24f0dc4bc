import { DatabaseSync } from "node:sqlite";

import { userMessage } from "@agent-history/core";
import { prepareReplacement, replaceProgram, runProgram } from "@agent-history/store-kit";
import type { Answer } from "@agent-history/store-kit";
import { expect, it, onTestFinished } from "vitest";

import { longThread } from "../test-support/long-thread.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { answerFetch } from "./internal/answer-fetch.ts";
import { sqlOf } from "./internal/sql.ts";
import { findThread } from "./internal/thread-row.ts";
import { sqliteStore } from "./sqlite-store.ts";

/** As far from the last checkpoint of the index. */
const LENGTHS = [1280, 1280 + 256 * 12, 1280 + 256 * 60];

it("reads as much to replace the last ten entries, however long the thread is", async () => {
  const path = temporaryFile();
  const store = sqliteStore({ path });
  for (const length of LENGTHS) {
    const log = longThread(length);
    for (let start = 0; start < length; start += 500) {
      await store.append(`t${length}`, log.slice(start, start + 500));
    }
  }
  await store.close();
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const sql = sqlOf(database);
  const costs = LENGTHS.map((length) => {
    const thread = findThread(sql, `t${length}`);
    const cost = { fetches: 0, rows: 0 };
    const count = (answer: Answer): Answer => {
      cost.fetches += 1;
      if (answer.kind === "entries" || answer.kind === "references")
        cost.rows += answer.rows.length;
      if (answer.kind === "facts") cost.rows += answer.facts.size;
      return answer;
    };
    const replacement = [userMessage({ id: "new", createdAtMs: 0, content: "Hello" })];
    const from = longThread(length).at(-10)?.id ?? "";
    const prepared = prepareReplacement({ from, operationId: "o", replacement });
    const program = replaceProgram({ ...prepared, expectedVersion: "any" });
    runProgram(program, (fetch) => count(answerFetch(sql, thread, fetch)));
    return cost;
  });
  const [first = { fetches: 0, rows: 0 }] = costs;
  expect(first.rows).toBeLessThan(600);
  for (const { fetches, rows } of costs) {
    expect(fetches).toBe(first.fetches);
    // A task or a turn that the longer log has known before.
    expect(Math.abs(rows - first.rows)).toBeLessThan(5);
  }
});
