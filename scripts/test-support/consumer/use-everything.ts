import { isDeepStrictEqual } from "node:util";

import {
  addCompactions,
  commitCompactions,
  compressHistory,
  expandCompaction,
  type CompressionResult,
} from "@agent-history/compression";
import { task, userMessage, type HistoryEntry, type HistoryStore } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { filterHistory, workerHistoryFilter } from "@agent-history/filters";
import { fromChatMessages, toChatMessages } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { redisStore } from "@agent-history/store-redis";
import { sqliteStore } from "@agent-history/store-sqlite";
import { tiktokenCounter } from "@agent-history/tokens";
import { createClient } from "redis";

/** What a user's program does with the packages, as they are installed: fit, filter, compress, keep. Prints what came out. */

const chat = [
  { role: "system", content: "You are a careful build engineer." },
  { role: "user", content: "The build of src/cart.ts fails since 2026-05-20. Find out why." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "read_log", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "c1", content: "Nothing of note was found here.\n".repeat(200) },
  { role: "assistant", content: "Error TS2345 in src/cart.ts at line 118. ".repeat(10) },
  { role: "user", content: "Good. Now fix it." },
];
const log = fromChatMessages(chat);
const counter = tiktokenCounter({ model: "gpt-4o" });
const window = { contextTokens: 300, outputReserveTokens: 100 };

const { entries: fitted, plan } = fitToWindow(log, { window, counter });
const prompt = toChatMessages(fitted);

const worker = { id: "w1", role: "worker" } as const;
const shared = [
  userMessage({ id: "u1", content: "How hot is it in Rome?" }),
  task({ id: "t1", agent: worker, content: "Ask the weather service." }),
  task({ id: "t2", agent: { id: "w2", role: "worker" }, content: "Look at the sky." }),
];
const seen = filterHistory(shared, workerHistoryFilter(), { agentId: "w1" });

const compressed = await compressHistory(log, { counter, tailTokens: 20 });
if (compressed.outcome !== "compressed") throw new Error(compressed.reason);
const compacted = addCompactions(log, compressed.compactions);
const expanded = expandCompaction(compacted, compressed.compaction.summary.id);

const path = process.env["SQLITE_PATH"] ?? ":memory:";
const sqlite = await keep(() => sqliteStore({ path }), compressed);

const client = createClient({ url: process.env["REDIS_URL"] ?? "redis://localhost:6379" });
client.on("error", (error) => console.error(error));
await client.connect();
const namespace = process.env["NAMESPACE"] ?? "consumer";
const redis = await keep(() => redisStore({ client, namespace, ttlMs: 60_000 }), compressed);
await client.close();

console.log(
  JSON.stringify({
    fit: {
      lastMessage: prompt.at(-1)?.content,
      gaveWay: JSON.stringify(prompt).length < JSON.stringify(chat).length,
      fits: plan.totalTokens <= 200,
      violations: checkHistory(fitted).length,
    },
    filter: idsOf(seen),
    compress: { givesBack: idsOf(expanded).join() === idsOf(log).join() },
    sqlite,
    redis,
  }),
);

/** Writes a log and its summary, reads them by a handle opened anew, takes the summary back, and deletes everything. */
async function keep(
  open: () => HistoryStore,
  { compactions }: Extract<CompressionResult, { outcome: "compressed" }>,
): Promise<object> {
  const writer = open();
  const { version } = await writer.append("chat", log, { expectedVersion: "none" });
  await commitCompactions(writer, "chat", compactions, { expectedViewRevision: 0 });
  await writer.close();

  const store = open();
  const query = { clauses: [{}], view: "thread" } as const;
  const { entries: shown } = await store.read("chat", { query });
  for (const { summary } of compactions) await store.expand("chat", summary.id);
  const { entries } = await store.read("chat", { query });
  await store.delete("chat");
  await store.close();
  return {
    version,
    shown: shown.map(({ type }) => type),
    // The store names the turn of entries that name none.
    isAsWritten: isDeepStrictEqual(
      entries.map(({ turnId, ...entry }) => entry),
      log,
    ),
  };
}

function idsOf(entries: readonly HistoryEntry[]): string[] {
  return entries.map(({ id }) => id);
}
