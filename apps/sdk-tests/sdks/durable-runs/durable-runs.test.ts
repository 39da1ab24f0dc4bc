import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

import { checkHistory } from "@agent-history/core/check";
import { modelCounter } from "agent-history";
import { postgresStore } from "agent-history/store-postgres";
import pg from "pg";
import { describe, expect, it } from "vitest";

import { startPostgresServer } from "../../../../packages/store-postgres/test-support/servers/start-postgres-server.ts";
import { openaiChatWire } from "../../src/servers/openai-chat-wire.ts";
import { startStrictServer } from "../../src/servers/start-strict-server.ts";
import { CONTEXT_TOKENS } from "./agent-run.ts";

/** `pnpm chaos --durable` makes 1,000 calls of the model. */
const isChaos = import.meta.env?.["MODE"] === "chaos";
const THREADS = isChaos ? 5 : 2;
const CALLS = isChaos ? 200 : 30;
const KILLS = isChaos ? 15 : 3;
const counter = modelCounter("gpt-5.1");

describe("a durable run by reference, on DBOS", () => {
  it("loses nothing and adds nothing twice where workers are killed, and its history stays flat", async () => {
    await using postgres = await startPostgresServer();
    await using server = await startStrictServer({
      wire: openaiChatWire,
      window: { contextTokens: CONTEXT_TOKENS, countText: (text) => counter.countText(text) },
      reply: (_, index) => {
        const call = { id: `call_${index}`, name: "find", arguments: "{}" };
        return index % 3 === 2
          ? { text: `Answer ${index}. ${"Two seats. ".repeat(20)}` }
          : { calls: [call] };
      },
    });
    let kills = 0;
    for (let isDone = false; !isDone;) {
      const worker = startWorker(postgres.url, server.origin);
      await worker.until("working");
      if (kills < KILLS) {
        // Well into the work, at any moment of it.
        const from = server.taken.length;
        const most = Math.ceil((THREADS * CALLS) / (KILLS + 1));
        while (server.taken.length < from + most / 2) await wait(5);
        await wait((kills * 37) % 90);
        worker.kill();
        kills += 1;
      } else {
        await worker.until("done");
        isDone = true;
      }
      await worker.ended;
    }
    expect(kills).toBe(KILLS);
    expect(server.refusals).toEqual([]);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(CONTEXT_TOKENS);

    const client = new pg.Pool({ connectionString: postgres.url });
    client.on("error", () => undefined);
    const store = postgresStore({ client, schema: "agent_threads" });
    let compacted = 0;
    for (let thread = 0; thread < THREADS; thread += 1) {
      const { entries } = await store.read(`thread-${thread}`, { originals: true });
      const answers = entries.filter(
        ({ type }) => type === "action" || type === "assistant_message",
      );
      expect(answers).toHaveLength(CALLS);
      const results = entries.flatMap((one) => (one.type === "observation" ? [one.callId] : []));
      const called = entries.flatMap((one) =>
        one.type === "action" ? one.toolCalls.map(({ id }) => id) : [],
      );
      expect(new Set(results).size).toBe(results.length);
      expect(called.slice(0, results.length)).toEqual(results);
      expect(checkHistory(entries)).toEqual([]);
      compacted += (await store.listSummaries(`thread-${thread}`)).length;
    }
    expect(compacted).toBeGreaterThan(0);
    // What is asked again is what the model was being asked when a worker died.
    const asked = server.taken.length;
    expect(asked).toBeLessThanOrEqual(THREADS * CALLS + KILLS * THREADS);

    const { rows } = await client.query<{ bytes: number; nth: number }>(
      "SELECT length(output) AS bytes, function_id AS nth FROM dbos.operation_outputs ORDER BY function_id",
    );
    const sizes = rows.map(({ bytes }) => bytes);
    if (isChaos)
      console.log({
        kills,
        asked,
        steps: rows.length,
        bytesOfAStep: [Math.min(...sizes), Math.max(...sizes)],
        compacted,
      });
    expect(Math.max(...sizes)).toBeLessThan(200);
    await store.close();
    await client.end();
  }, 3_600_000);
});

/** Starts a worker in a process of its own. */
function startWorker(url: string, origin: string) {
  const program = new URL("worker.ts", import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    ["--conditions=@agent-history/source", program, url, origin, `${THREADS}`, `${CALLS}`],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const lines: string[] = [];
  const errors: string[] = [];
  const ended = once(child, "exit");
  const output = createInterface({ input: child.stdout });
  output.on("line", (line) => lines.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  return {
    ended,
    kill: () => child.kill("SIGKILL"),
    until: async (line: string) => {
      while (!lines.includes(line)) {
        if (child.exitCode !== null)
          throw new Error(`The worker ended:\n${errors.slice(-20).join("\n")}`);
        await wait(10);
      }
    },
  };
}
