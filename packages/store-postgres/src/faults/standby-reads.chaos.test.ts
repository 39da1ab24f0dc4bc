import { workerHistoryFilter } from "@agent-history/filters";
import { expect, it } from "vitest";

import { agentTurns } from "../../test-support/agent-turns.ts";
import { describeWithPostgres } from "../../test-support/describe-with-postgres.ts";
import { messages } from "../../test-support/messages.ts";
import { addressOf, openStore } from "../../test-support/open-store.ts";
import { startPostgresPair } from "../../test-support/servers/start-postgres-pair.ts";

await describeWithPostgres("postgresStore on a standby", () => {
  it("reads all that the standby has, and refuses each write as read-only", async () => {
    await using pair = await startPostgresPair(false);
    await using primary = await openStore(addressOf(pair.url));
    for (const turn of agentTurns(5)) await primary.store.append("t", turn);
    await primary.store.setState("t", "key", 1, { expectedRevision: 0 });
    await pair.hasCaughtUp();
    await using standby = await openStore(addressOf(pair.standbyUrl));
    const query = workerHistoryFilter().query({ agentId: "w1" });
    for (const options of [{}, { query }]) {
      expect(await standby.store.read("t", options)).toEqual(
        await primary.store.read("t", options),
      );
    }
    expect(await standby.store.getState("t", "key")).toEqual({ value: 1, revision: 1 });
    expect(await standby.store.list()).toMatchObject({ threads: [{ threadId: "t" }] });
    const [known = []] = agentTurns(1);
    const writes = [
      standby.store.append("t", messages("new")),
      standby.store.append("t", known),
      standby.store.append("another", messages("new")),
      standby.store.setState("t", "key", 2, { expectedRevision: 1 }),
      standby.store.fork("t", { at: "0-question", as: "fork" }),
      standby.store.delete("t"),
    ];
    for (const outcome of await Promise.allSettled(writes)) {
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { code: "STORE_UNAVAILABLE" },
      });
    }
    await expect(standby.store.append("t", messages("new"))).rejects.toMatchObject({
      details: { outcome: "rejected", reason: "read-only" },
    });
  });
});
