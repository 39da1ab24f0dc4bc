import { execFileSync, spawnSync } from "node:child_process";

import { Client } from "pg";
import { expect, it } from "vitest";

import { agentTurns } from "../../test-support/agent-turns.ts";
import { describeWithPostgres } from "../../test-support/describe-with-postgres.ts";
import { messages } from "../../test-support/messages.ts";
import { addressOf, openStore } from "../../test-support/open-store.ts";
import { startPostgresServer } from "../../test-support/servers/start-postgres-server.ts";

const hasPrograms = spawnSync("pg_dump", ["--version"]).status === 0;
if (!hasPrograms) process.stderr.write("SKIPPED restore: no pg_dump on the path\n");

await describeWithPostgres("a schema of postgresStore", () => {
  it.skipIf(!hasPrograms)(
    "comes back from a dump as it was; what was written since is told of",
    async () => {
      await using server = await startPostgresServer();
      const address = addressOf(server.url, { schema: "kept" });
      await using handle = await openStore(address);
      for (const turn of agentTurns(3)) await handle.store.append("t", turn);
      await handle.store.append(
        "hostile \u0000 \uD800",
        messages("\u0000", "\uFEFF", "é".repeat(900)),
      );
      const { threadId } = await handle.store.fork("t", { at: "1-question", as: "fork" });
      const dump = execFileSync("pg_dump", ["--schema", "kept", server.url], { maxBuffer: 1e9 });
      const before = await handle.store.read("t");
      await handle.store.append("t", messages("after the dump"));

      const admin = new Client(server.url);
      await admin.connect();
      await admin.query("DROP SCHEMA kept CASCADE");
      await admin.end();
      execFileSync("psql", ["--quiet", "--set", "ON_ERROR_STOP=1", server.url], {
        input: dump,
        stdio: ["pipe", "ignore", "inherit"],
      });

      await expect(handle.store.read("t")).rejects.toMatchObject({ code: "HISTORY_REWOUND" });
      await using again = await openStore(address);
      expect(await again.store.read("t")).toEqual(before);
      for (const thread of ["t", threadId, "hostile \u0000 \uD800"]) {
        expect(await again.store.verify(thread)).toEqual([]);
      }
      const [known = []] = agentTurns(1);
      expect(await again.store.append("t", known)).toMatchObject({ duplicate: true });
      const { version } = await again.store.append("t", messages("after the dump"));
      expect(version).toBe(before.version + 1);
    },
  );
});
