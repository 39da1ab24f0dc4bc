import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { encryptedDriver } from "@agent-history/store-kit/encryption";
import { expect, it } from "vitest";

import { PLAIN, testKeys, writePlain } from "../../../testkit/test-support/encrypted.ts";
import { describeRedisStore } from "../../test-support/conformance.ts";
import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { openClient } from "../../test-support/open-client.ts";
import { redisStoreOn } from "../../test-support/open-store.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";
import type { RedisServer } from "../../test-support/servers/start-redis-server.ts";

const encryption = testKeys();
const wrapDriver: Parameters<typeof redisStoreOn>[2] = (driver) =>
  encryptedDriver(driver, encryption);

for (const server of ["redis-7", "valkey-8"] as const)
  await describeWithRedis(
    "redisStore, encrypted",
    () => {
      let running: RedisServer | undefined;
      describeRedisStore(`redisStore, encrypted, on ${server}`, {
        address: async () => {
          running = await startRedisServer({ server });
          return { urls: [running.url] };
        },
        stop: async () => running?.stop(),
        runs: 2,
        hasLongTests: false,
        wrapDriver,
      });

      it("has no plain text of 10,000 entries in the append-only file", async () => {
        await using own = await startRedisServer({ server, appendfsync: "everysec" });
        const { client, send, destroy } = await openClient({ urls: [own.url] });
        await send(["CONFIG", "SET", "aof-use-rdb-preamble", "no", "appendonly", "yes"]);
        await writePlain(redisStoreOn(client, { namespace: "t" }, wrapDriver));
        destroy();
        const bytes = readdirSync(own.dir, { recursive: true, withFileTypes: true })
          .filter((file) => file.isFile())
          .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
          .join("");
        expect(bytes.length).toBeGreaterThan(1_000_000);
        expect(bytes).not.toMatch(PLAIN);
      });
    },
    server,
  );
