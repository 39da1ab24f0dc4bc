import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { mixedWrites } from "../../../testkit/test-support/faults/mixed-writes.ts";
import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { historyErrorOf } from "../../test-support/history-error-of.ts";
import { openClient } from "../../test-support/open-client.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

const PASSWORD = "s3cret-p4ssword";

await describeWithRedis("redisStore for a user of few rights", () => {
  it("says what a user without EVAL lacks, and writes nothing", async () => {
    await using server = await startRedisServer();
    const admin = await openClient({ urls: [server.url] });
    const rights = ["~*", "&*", "+@all", "-@scripting"];
    await admin.send(["ACL", "SETUSER", "reader", "on", `>${PASSWORD}`, ...rights]);
    const url = server.url.replace("redis://", `redis://reader:${PASSWORD}@`);
    await using opened = await openStore({ urls: [url], namespace: "rights" });
    const error = await historyErrorOf(opened.store.append("thread", batchOf("w", 0, 2)));
    expect(error).toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "rejected", reason: "no-permission" },
    });
    expect(error.message).toMatch(/allow/iu);
    expect(everything(error)).not.toContain(PASSWORD);
    admin.destroy();
    await using other = await openStore({ urls: [server.url], namespace: "rights" });
    expect(await other.store.list()).toEqual({ threads: [] });
    expect(await other.store.read("thread")).toMatchObject({ version: 0, entries: [] });
  });

  it("needs no right but those that the guide gives", async () => {
    await using server = await startRedisServer();
    const admin = await openClient({ urls: [server.url] });
    const guide = new URL("../../../../docs/guide/redis-in-production.md", import.meta.url);
    const lines = readFileSync(guide, "utf8").match(/(?<=^redis-cli ).*/gmu) ?? [];
    expect(lines.map((line) => line.split(" ")[2])).toEqual(["app", "cleaner", "default"]);
    for (const line of lines) await admin.send(line.replaceAll("'", "").split(" "));
    admin.destroy();
    const urlOf = (user: string): string =>
      server.url.replace("redis://", `redis://${user}:change-me@`);
    const url = urlOf("app");
    const cleaner = await openClient({ urls: [urlOf("cleaner")] });
    await cleaner.send(["BGREWRITEAOF"]);
    await cleaner.send(["SLOWLOG", "RESET"]);
    await expect(cleaner.send(["GET", "x"])).rejects.toThrow(/NOPERM/u);
    cleaner.destroy();
    const own = await openClient({ urls: [url] });
    for (const command of [
      ["FLUSHALL"],
      ["KEYS", "*"],
      ["CONFIG", "SET", "maxmemory", "1"],
      ["GET", "other"],
    ])
      await expect(own.send(command)).rejects.toThrow(/NOPERM/u);
    own.destroy();
    const options = { ttlMs: 600_000 };
    await using opened = await openStore({ urls: [url], namespace: "rights", options });
    const { store } = opened;
    const next = mixedWrites();
    for (let nth = 0; nth < 60; nth += 1) await next().run(store);
    await store.append("erased", batchOf("w", 0, 3));
    const { entries } = await store.read("erased");
    await store.eraseEntries("erased", [entries[1]?.id ?? ""]);
    await store.setMetadata("erased", { user: "ada" });
    for (const list of [{}, { user: "ada" }, { newestFirst: true }]) await store.list(list);
    expect((await store.describe()).details["servers"]).toMatchObject([{ appendOnly: false }]);
    expect(await store.verify("erased")).toEqual([]);
    await store.eraseUser("ada");
    await store.ping();
  });

  it("never tells the credentials of its address, whatever fails", async () => {
    const server = await startRedisServer();
    const admin = await openClient({ urls: [server.url] });
    await admin.send(["ACL", "SETUSER", "writer", "on", `>${PASSWORD}`, "~*", "&*", "+@all"]);
    admin.destroy();
    const url = server.url.replace("redis://", `redis://writer:${PASSWORD}@`);
    const address = { urls: [url], namespace: "rights" };
    await using opened = await openStore(address);
    await opened.store.append("thread", batchOf("w", 0, 2));
    await using impatient = await openStore({ ...address, options: { timeoutMs: 200 } });
    const { store } = impatient;
    await server.stop();
    const errors = await Promise.all([
      historyErrorOf(store.append("thread", batchOf("w", 1, 2))),
      historyErrorOf(store.read("thread")),
      historyErrorOf(store.describe()),
      historyErrorOf(store.list()),
      historyErrorOf(store.ping()),
    ]);
    for (const error of errors) expect(everything(error)).not.toContain(PASSWORD);
    expect(errors.at(-1)?.code).toBe("STORE_UNAVAILABLE");
    expect(errors[0]?.code).toMatch(/^(STORE_UNAVAILABLE|OUTCOME_UNKNOWN)$/u);
  });

  it("describes itself without credentials", async () => {
    await using server = await startRedisServer({ extra: ["--requirepass", PASSWORD] });
    const url = server.url.replace("redis://", `redis://:${PASSWORD}@`);
    await using opened = await openStore({ urls: [url], namespace: "rights" });
    expect(JSON.stringify(await opened.store.describe())).not.toContain(PASSWORD);
  });
});

/** All that a logger could print of an error, its causes included. */
function everything(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? "";
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)));
  return [...own, JSON.stringify(error), error.cause ? everything(error.cause) : ""].join("\n");
}
