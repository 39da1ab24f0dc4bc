import { randomUUID } from "node:crypto";

import { afterAll, describe } from "vitest";

import { describeRedisStore } from "./conformance.ts";
import { openClient } from "./open-client.ts";
import type { OpenClient } from "./open-client.ts";

/** Declares the suite for an existing server. Writes only to namespaces with a random prefix, and removes them. */
export function describeGivenServer(url: string): void {
  const prefix = `agent-history-test-${randomUUID()}-`;
  const address = { urls: [url] };
  describe("REDIS_URL", () => {
    describeRedisStore("redisStore", { address: () => address, prefix, runs: 10 });
    afterAll(async () => {
      const admin = await openClient(address);
      await removeAll(admin, `*${prefix}*`);
      admin.destroy();
    });
  });
}

async function removeAll({ send }: OpenClient, pattern: string): Promise<void> {
  let cursor = "0";
  do {
    const page = await send(["SCAN", cursor, "MATCH", pattern, "COUNT", "1000"]);
    const [next, keys]: readonly unknown[] = Array.isArray(page) ? page : [];
    if (Array.isArray(keys) && keys.length > 0) await send(["UNLINK", ...keys.map(String)]);
    cursor = typeof next === "string" ? next : "0";
  } while (cursor !== "0");
}
