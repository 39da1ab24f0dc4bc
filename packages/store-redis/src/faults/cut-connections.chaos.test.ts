import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { cutConnections } from "../../test-support/faults/cut-connections.ts";

await describeWithRedis("redisStore on connections that are cut", () => {
  const load = { writers: 2, threads: 2, lanes: 2, batchSize: 3 };
  const often = { cuts: 20, everyEntries: 24, load };

  it("writes each entry once and in order when the server kills connections", async () => {
    const report = await cutConnections({ by: "client-kill", ...often });
    expect(report.violations).toEqual([]);
    expect(report.figures["kills"]).toBeGreaterThanOrEqual(20);
  });

  it("takes one writer at each version, also where answers are lost", async () => {
    const compared = { ...load, threads: 1, lanes: 1, comparesVersions: true };
    const report = await cutConnections({ by: "proxy", cuts: 8, everyEntries: 6, load: compared });
    expect(report.violations).toEqual([]);
    // Both writers begin at version 0: one of them is the second.
    expect(report.figures["conflicts"]).toBeGreaterThan(0);
  });

  it("writes each entry once and in order when requests and answers are lost", async () => {
    const report = await cutConnections({ by: "proxy", ...often });
    expect(report.violations).toEqual([]);
    expect(report.figures["before"]).toBeGreaterThanOrEqual(10);
    expect(report.figures["after"]).toBeGreaterThanOrEqual(10);
  });
});
