import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { cutConnections } from "../../test-support/faults/cut-connections.ts";

await describeWithRedis("redisStore on connections that are cut", () => {
  const load = { writers: 2, threads: 2, lanes: 2, batchSize: 3, batches: 20 };

  it("writes each entry once and in order when the server kills connections", async () => {
    const report = await cutConnections({ by: "client-kill", everyMs: 15, load });
    expect(report.violations).toEqual([]);
    expect(report.audit.present).toBe(2 * 2 * 2 * 3 * 20);
    expect(report.figures["kills"]).toBeGreaterThan(0);
  });

  it("takes one writer at each version, also where answers are lost", async () => {
    const compared = { ...load, threads: 1, lanes: 1, batches: 10, comparesVersions: true };
    const report = await cutConnections({ by: "proxy", everyMs: 15, load: compared });
    expect(report.violations).toEqual([]);
    expect(report.audit.present).toBe(2 * 3 * 10);
    expect(report.figures["conflicts"]).toBeGreaterThan(0);
  });

  it("writes each entry once and in order when requests and answers are lost", async () => {
    const report = await cutConnections({ by: "proxy", everyMs: 15, load });
    expect(report.violations).toEqual([]);
    expect(report.audit.present).toBe(2 * 2 * 2 * 3 * 20);
    expect(report.figures["before"]).toBeGreaterThan(0);
    expect(report.figures["after"]).toBeGreaterThan(0);
  });
});
