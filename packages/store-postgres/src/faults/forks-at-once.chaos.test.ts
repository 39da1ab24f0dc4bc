import { expect, it } from "vitest";

import { describeWithPostgres } from "../../test-support/describe-with-postgres.ts";
import { messages } from "../../test-support/messages.ts";
import { addressOf, ISOLATIONS, openStore } from "../../test-support/open-store.ts";
import { retried } from "../../test-support/retried.ts";
import { startPostgresServer } from "../../test-support/servers/start-postgres-server.ts";

const ROUNDS = 12;
const IDS = Array.from({ length: 50 }, (_, nth) => `m${nth}`);

await describeWithPostgres("forks that begin while the end of their thread is replaced", () => {
  it.each(ISOLATIONS)("have what the thread was or what it became: %s", async (isolation) => {
    await using server = await startPostgresServer();
    const address = addressOf(server.url, { isolation, connections: 2 });
    await using first = await openStore(address);
    await using second = await openStore(address);
    for (let round = 0; round < ROUNDS; round += 1) {
      const threadId = `t${round}`;
      await first.store.append(threadId, messages(...IDS));
      const replacement = messages("n");
      const end = { from: "m30", replacement, operationId: "o", expectedVersion: "any" } as const;
      const [begun] = await Promise.allSettled([
        retried(() => first.store.fork(threadId, { at: "m44", as: "y" })),
        retried(() => second.store.replaceSuffix(threadId, end)),
      ]);
      // Where the replacement came first, the entry is gone.
      if (begun.status === "rejected") expect(begun.reason).toMatchObject({ code: "NOT_FOUND" });
      const { entries } = await second.store.read(`${threadId}/y`);
      const whole = begun.status === "rejected" ? [] : IDS.slice(0, 45);
      expect(entries.map(({ id }) => id)).toEqual(whole);
      expect(await second.store.verify(`${threadId}/y`)).toEqual([]);
    }
  });
});
