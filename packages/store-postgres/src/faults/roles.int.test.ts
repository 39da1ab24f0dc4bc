import { readFileSync } from "node:fs";

import { Pool } from "pg";
import { expect, it } from "vitest";

import { mixedWrites } from "../../../testkit/test-support/faults/mixed-writes.ts";
import { describeWithPostgres } from "../../test-support/describe-with-postgres.ts";
import { messages } from "../../test-support/messages.ts";
import { startPostgresServer } from "../../test-support/servers/start-postgres-server.ts";
import { postgresMigration, postgresStore } from "../index.ts";

await describeWithPostgres("roles of postgresStore", () => {
  it("can do what the guide grants, and nothing else", async () => {
    await using server = await startPostgresServer();
    const guide = new URL("../../../../docs/guide/postgres-in-production.md", import.meta.url);
    const grants = /```sql\n(CREATE ROLE[^`]*)```/u.exec(readFileSync(guide, "utf8"))?.[1] ?? "";
    const owner = new Pool({ connectionString: server.url, max: 1 });
    await owner.query(postgresMigration({ schema: "chats" }));
    await owner.query(grants);
    await owner.end();
    const as = (role: string): Pool => {
      const url = new URL(server.url);
      url.username = role;
      url.password = "change-me";
      return new Pool({ connectionString: url.href, max: 2 });
    };

    const client = as("app");
    const store = postgresStore({ client, schema: "chats", migrates: false });
    const next = mixedWrites();
    for (let nth = 0; nth < 40; nth += 1) await next().run(store);
    await store.append("erased", messages("a", "b"));
    await store.eraseEntries("erased", ["a"]);
    await store.setMetadata("erased", { user: "ada" });
    await store.list({ user: "ada" });
    expect(await store.verify("erased")).toEqual([]);
    expect((await store.eraseUser("ada")).threads).toBe(1);
    await store.append("kept", messages("a"));
    await store.describe();
    for (const sql of [
      "DROP TABLE chats.rows",
      "TRUNCATE chats.rows",
      "CREATE TABLE chats.more (a int)",
      "ALTER TABLE chats.rows ADD COLUMN a int",
      "CREATE ROLE other",
    ])
      await expect(client.query(sql)).rejects.toThrow(/permission denied|must be owner/u);
    await store.close();
    await client.end();

    const reports = as("reports");
    const { rows } = await reports.query("SELECT * FROM chats.thread_entries");
    expect(rows.length).toBeGreaterThan(0);
    for (const sql of [
      "SELECT * FROM chats.rows",
      "DELETE FROM chats.threads",
      "SELECT * FROM chats.items",
    ])
      await expect(reports.query(sql)).rejects.toThrow(/permission denied/u);
    await reports.end();
  });
});
