// Writes version-1.sql: a file made by the code of this version, as SQL text. Run once for each version, and never again for an older one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SQLOutputValue } from "node:sqlite";

import { action, observation, summary, task } from "@agent-history/core";

import { sqliteStore } from "../src/index.ts";
import { messages } from "./messages.ts";

const folder = mkdtempSync(join(tmpdir(), "store-sqlite-"));
const path = join(folder, "fixture.db");
const worker = { id: "w", role: "worker" } as const;
const call = { id: "c1", name: "read", arguments: "{}" };

const store = sqliteStore({ path });
await store.append("t", messages("a", "b"), { tokens: new Map([["o200k", [3, 4]]]) });
await store.append("t", [
  task({ id: "k", createdAtMs: 0, agent: worker, content: "Read." }),
  action({ id: "call", createdAtMs: 0, agent: worker, taskId: "k", toolCalls: [call] }),
  observation({
    id: "result",
    createdAtMs: 0,
    agent: worker,
    taskId: "k",
    callId: "c1",
    toolName: "read",
    outcome: "success",
    content: "It's here.",
  }),
]);
await store.append("t", messages("c", "__proto__", "\uD83D"));
await store.commitCompaction("t", {
  view: "conversation",
  summary: summary({ id: "z", createdAtMs: 0, content: "", strategy: "whole", trust: "user" }),
  covers: [{ from: "a", to: "b" }],
  expectedViewRevision: 0,
});
await store.setState("t", "plan", { next: 7 }, { expectedRevision: 0 });
await store.fork("t", { at: "result", as: "fork" });
await store.append("t/fork", messages("own"));
await store.append("gone", messages("a"));
await store.delete("gone");
await store.close();

const database = new DatabaseSync(path);
const lines: string[] = [];
const objects = database.prepare(
  "SELECT name, type, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'",
);
const tables = objects.all();
for (const { sql } of tables) lines.push(`${String(sql)};`);
for (const { name, type } of tables) {
  if (type !== "table") continue;
  for (const row of database.prepare(`SELECT * FROM ${String(name)}`).all()) {
    lines.push(
      `INSERT INTO ${String(name)} VALUES (${Object.values(row).map(literal).join(", ")});`,
    );
  }
}
for (const pragma of ["application_id", "user_version"]) {
  const value = database.prepare(`PRAGMA ${pragma}`).get()?.[pragma];
  lines.push(`PRAGMA ${pragma} = ${String(value)};`);
}
database.close();
rmSync(folder, { recursive: true });
writeFileSync(new URL("version-1.sql", import.meta.url), `${lines.join("\n")}\n`);

function literal(value: SQLOutputValue): string {
  if (value === null) return "NULL";
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : Number(value).toString();
}
