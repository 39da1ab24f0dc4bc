import { describe, expect, it } from "vitest";

import { describeDurability } from "./describe-durability.ts";
import { withDeadline } from "./operation.ts";
import { redisLink } from "./redis-link.ts";
import { requireSoundServer } from "./require-sound-server.ts";
import { readServerFacts } from "./server-facts.ts";
import type { ServerFacts } from "./server-facts.ts";

const SOUND: ServerFacts = {
  version: "7.0.15",
  evictionPolicy: "noeviction",
  maxMemoryBytes: 0,
  isAppendOnly: true,
  appendFsync: "everysec",
  replicas: 0,
};

describe("readServerFacts", () => {
  it("reads what a server tells, and lives with what it does not", async () => {
    const info =
      "# Server\r\nredis_version:7.2.4\r\nmaxmemory:100\r\nmaxmemory_policy:allkeys-lru\r\naof_enabled:1\r\nconnected_slaves:2\r\n";
    const told = redisLink({
      sendCommand: async ([command]: string[]) =>
        command === "INFO" ? info : ["appendfsync", "always"],
    });
    const untold = redisLink({
      sendCommand: async ([command]: string[]) => {
        if (command === "INFO") return "";
        throw new Error("NOPERM");
      },
    });
    const read = (link: typeof told) =>
      withDeadline({ timeoutMs: Infinity }, (operation) => readServerFacts(link, operation));

    expect(await read(told)).toEqual([
      {
        version: "7.2.4",
        evictionPolicy: "allkeys-lru",
        maxMemoryBytes: 100,
        isAppendOnly: true,
        appendFsync: "always",
        replicas: 2,
      },
    ]);
    expect(await read(untold)).toMatchObject([{ isAppendOnly: false, replicas: 0 }]);
  });
});

describe("requireSoundServer", () => {
  const refusals = (more: Partial<ServerFacts>, allowEviction = false) => {
    try {
      requireSoundServer([SOUND, { ...SOUND, ...more }], { allowEviction });
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it.each(["allkeys-lru", "allkeys-lfu", "volatile-ttl"])("refuses the policy %s", (policy) => {
    const refusal = refusals({ evictionPolicy: policy });

    expect(refusal).toMatchObject({ code: "STORE_MISCONFIGURED", details: { policy } });
    expect(refusals({ evictionPolicy: policy }, true)).toBeUndefined();
  });

  it("refuses a server that is too old, and takes one that does not tell", () => {
    expect(refusals({ version: "6.0.16" })).toMatchObject({ code: "STORE_MISCONFIGURED" });
    expect(refusals({ version: "5.0.0" })).toMatchObject({ code: "STORE_MISCONFIGURED" });
    expect(refusals({ version: "6.2.0" })).toBeUndefined();
    expect(refusals({ version: "10.0.0" })).toBeUndefined();
    expect(refusals({ version: undefined, evictionPolicy: undefined })).toBeUndefined();
  });
});

describe("describeDurability", () => {
  it.each([
    [{ isAppendOnly: false }, 0, "No append-only file"],
    [{ appendFsync: undefined }, 0, "does not tell"],
    [{ appendFsync: "no" }, 0, "operating system"],
    [{}, 0, "synced every second"],
    [{ appendFsync: "always" }, 0, "synced before each answer"],
    [{ replicas: 1 }, 0, "without being waited for"],
    [{ replicas: 1 }, 1, "once 1 replica(s) have it"],
  ])("says of %j, waiting for %i, what a crash may cost", (more, replicas, words) => {
    expect(describeDurability([{ ...SOUND, ...more }], replicas)).toContain(words);
  });

  it("has the weakest of several servers in mind", () => {
    const servers = [{ ...SOUND, appendFsync: "always" }, SOUND];

    expect(describeDurability(servers, 0)).toContain("synced every second");
  });
});
