import { isHistoryError, userMessage } from "@agent-history/core";
import { createClient } from "redis";
import { expect, it } from "vitest";

import { faultClient } from "../../test-support/fault-client.ts";
import { startJsRedisServer } from "../../test-support/servers/start-js-redis-server.ts";
import { redisStore } from "../redis-store.ts";

const QUERY = { clauses: [{}], maxEntries: 20 };

it.for(["XREVRANGE", "XRANGE"])(
  "redisStore reads a thread that goes before %s as it was, or not at all",
  async (command) => {
    const server = await startJsRedisServer();
    const inner = createClient({ url: server.url });
    inner.on("error", () => {});
    await inner.connect();
    const entries = Array.from({ length: 150 }, (_, index) =>
      userMessage({ id: `m${index}`, createdAtMs: 1, content: "Hello" }),
    );
    const other = redisStore({ client: inner, namespace: "goes" });
    const { client, beforeNextCommand } = faultClient(inner);
    const reader = redisStore({ client, namespace: "goes" });
    for (const thread of ["deleted", "expired"]) await other.append(thread, entries);

    beforeNextCommand(command, () => other.delete("deleted"));
    const refused = await reader.read("deleted", { query: QUERY }).catch((error: unknown) => error);
    const keys = await inner.keys("ah:{goes:expired}*");
    beforeNextCommand(command, () => inner.del(keys));
    const gone = await reader.read("expired", { query: QUERY });

    expect(isHistoryError(refused, "THREAD_DELETED")).toBe(true);
    expect(gone).toMatchObject({ version: 0, entries: [] });
    inner.destroy();
    await server.stop();
  },
);
