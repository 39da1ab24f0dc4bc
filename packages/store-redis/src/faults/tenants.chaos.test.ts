import fc from "fast-check";
import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { openClient } from "../../test-support/open-client.ts";
import { openStore } from "../../test-support/open-store.ts";
import { batchOf } from "../../test-support/oracle/batch-of.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

/** What ends a part of a key, opens a hash tag, is a pattern, or is nothing. */
const odd = fc.oneof(
  fc.constantFrom("*", "?", "[a-z]", "{", "}", "{}", "}{", ":", "a:b", "~", "~003a", "%3A", "\\"),
  fc.constantFrom("__proto__", " ", "\n", "\r\n", "\0", "\u2028", "\ud800", "\u{1f600}", "m", "x"),
  fc.string({ minLength: 1, maxLength: 12, unit: "binary" }),
);
const names = fc.array(odd, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));

await describeWithRedis("redisStore for several tenants", () => {
  it("keeps every namespace and thread to itself, whatever their names", async () => {
    await using server = await startRedisServer();
    const tenant = fc.record({ namespace: names, thread: names });
    const pairs = fc.uniqueArray(tenant, {
      minLength: 2,
      maxLength: 4,
      selector: ({ namespace, thread }) => JSON.stringify([namespace, thread]),
    });
    const property = fc.asyncProperty(pairs, async (tenants) => {
      const admin = await openClient({ urls: [server.url] });
      await admin.send(["FLUSHALL"]);
      admin.destroy();
      for (const [writer, { namespace, thread }] of tenants.entries()) {
        await using opened = await openStore({ urls: [server.url], namespace });
        await opened.store.append(thread, batchOf(`w${writer}`, 0, 2));
      }
      for (const [writer, { namespace, thread }] of tenants.entries()) {
        await using opened = await openStore({ urls: [server.url], namespace });
        const { entries } = await opened.store.read(thread);
        expect(entries.map(({ id }) => id)).toEqual(
          batchOf(`w${writer}`, 0, 2).map(({ id }) => id),
        );
        const { threads } = await opened.store.list();
        const threadIds = threads.map(({ threadId }) => threadId);
        const own = tenants.filter((other) => other.namespace === namespace);
        expect(threadIds.toSorted()).toEqual(own.map((other) => other.thread).toSorted());
      }
      const [first, ...others] = tenants;
      await using opened = await openStore({
        urls: [server.url],
        namespace: first?.namespace ?? "",
      });
      await opened.store.delete(first?.thread ?? "");
      for (const { namespace, thread } of others) {
        await using other = await openStore({ urls: [server.url], namespace });
        expect((await other.store.read(thread)).entries).toHaveLength(2);
      }
    });
    await fc.assert(property, { numRuns: 25 });
  });

  it("takes the text of a prefix for text, never for a pattern", async () => {
    await using server = await startRedisServer();
    await using opened = await openStore({ urls: [server.url], namespace: "tenant" });
    for (const thread of ["plain", "*", "a*b", "[ab]"]) {
      await opened.store.append(thread, batchOf("w", 0, 1));
    }
    expect((await opened.store.list({ prefix: "*" })).threads).toMatchObject([{ threadId: "*" }]);
    expect((await opened.store.list({ prefix: "[" })).threads).toMatchObject([
      { threadId: "[ab]" },
    ]);
  });
});
