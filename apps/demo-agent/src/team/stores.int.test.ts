import { join } from "node:path";

import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { sqliteStore } from "@agent-history/store-sqlite";
import { describe, expect, it } from "vitest";

import { describeWithRedis } from "../../../../packages/store-redis/test-support/describe-with-redis.ts";
import { startRedisServer } from "../../../../packages/store-redis/test-support/servers/start-redis-server.ts";
import { openStore } from "../../cli/open-store.ts";
import { gardenTeam } from "../../test-support/garden-team.ts";
import { openWork } from "../../test-support/open-work.ts";
import { runProgram } from "../../test-support/run-program.ts";

const QUESTIONS = [
  "How long does a valve stay open when rain is forecast?",
  "When is a tomato ripe?",
  "Does that valve you found first open when the soil is dry?",
];

describe("a session on SQLite", () => {
  it("sends the same prompts as in memory, byte for byte", async () => {
    await using folder = await temporaryFolder({});
    const store = sqliteStore({ path: join(folder.path, "demo.db") });

    expect(await promptsOn(store)).toBe(await promptsOn(memoryStore()));
    await store.close();
  });
});

await describeWithRedis("a session on Redis", () => {
  it("sends the same prompts as in memory, byte for byte", async () => {
    await using server = await startRedisServer();
    await using opened = await openStore({ store: server.url, env: {}, cacheFolder: "" });

    expect(await promptsOn(opened.store)).toBe(await promptsOn(memoryStore()));
  });

  it("neither loses nor mixes entries where several processes ask on one thread", async () => {
    await using server = await startRedisServer();
    await using opened = await openStore({ store: server.url, env: {}, cacheFolder: "" });
    await using garden = await temporaryFolder(GARDEN_FILES);
    const flags = ["--dir", garden.path, "--store", server.url, "--thread", "shared", "--json"];
    const asked = [QUESTIONS[0], QUESTIONS[1], QUESTIONS[1]].map((question) => question ?? "");
    const ends = await Promise.all(asked.map(async (question) => runProgram([question, ...flags])));
    const { entries } = await opened.store.read("shared", { originals: true });

    expect(ends.map(({ exitCode, errors }) => [exitCode, errors])).toEqual(
      asked.map(() => [0, ""]),
    );
    expect(await openWork(opened.store, "shared")).toEqual([]);
    // Each process shows what it kept; all of that and nothing else is there, in its order.
    const kept = ends.map(({ lines }) => lines.flatMap(entryId));
    const turns = kept.map((ids) => ids[0] ?? "");
    expect(new Set(turns)).toEqual(new Set(["turn-1", "turn-2", "turn-3"]));
    for (const [index, ids] of kept.entries()) {
      const own = entries.filter(({ turnId }) => turnId === turns[index]);
      expect(own.map(({ id }) => id)).toEqual(ids);
      expect(own[0]).toMatchObject({ content: asked[index] });
      expect(JSON.stringify(own.at(-1))).toContain(
        asked[index] === QUESTIONS[0] ? "the valve stays shut" : "comes off the stem",
      );
    }
  });
});

/** Everything that the model was sent in a session, by the same ids and clock, and one worker at a time. */
async function promptsOn(store: HistoryStore): Promise<string> {
  const { team, calls } = await gardenTeam({ store, workersAtOnce: 1 });
  for (const question of QUESTIONS) await team.ask(question);
  return calls.map(({ messages }) => JSON.stringify(messages)).join("\n");
}

function entryId(line: string): readonly string[] {
  const event: { readonly event: string; readonly entry?: { readonly id: string } } =
    JSON.parse(line);
  return event.entry === undefined ? [] : [event.entry.id];
}
