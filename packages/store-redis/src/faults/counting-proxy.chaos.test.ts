import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { openClient } from "../../test-support/open-client.ts";
import { respReader } from "../../test-support/proxies/read-resp.ts";
import { roundTrips, startCountingProxy } from "../../test-support/proxies/start-counting-proxy.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

describe("respReader", () => {
  it("reads the same values whatever the pieces they come in", () => {
    const text =
      "*2\r\n$3\r\nGET\r\n$5\r\nk\u00e9\r\n\r\n+OK\r\n:12\r\n$-1\r\n*0\r\n-ERR no\r\n$0\r\n\r\n";
    const bytes = Buffer.from(text);
    const whole = respReader()(bytes);
    expect(whole).toEqual([["GET", "k\u00e9\r\n"], "OK", "12", null, [], "ERR no", ""]);
    const cuts = fc.array(fc.nat(bytes.length), { maxLength: 6 });
    fc.assert(
      fc.property(cuts, (indexes) => {
        const read = respReader();
        const ends = [...indexes.toSorted((a, b) => a - b), bytes.length];
        const values = ends.flatMap((end, at) => read(bytes.subarray(ends[at - 1] ?? 0, end)));
        expect(values).toEqual(whole);
      }),
    );
  });
});

await describeWithRedis("startCountingProxy", () => {
  it("counts what is sent at once as one round trip, and what waits as two", async () => {
    await using server = await startRedisServer();
    await using proxy = await startCountingProxy(server.port);
    const { send, destroy } = await openClient({ urls: [proxy.url], protocol: 2 });
    proxy.take();
    await Promise.all([send(["SET", "a", "1"]), send(["SET", "b", "2"]), send(["GET", "a"])]);
    const together = proxy.take();
    expect(together.map(({ answer }) => answer)).toEqual(["OK", "OK", "1"]);
    expect(roundTrips(together)).toBe(1);
    await send(["GET", "a"]);
    await send(["GET", "b"]);
    expect(roundTrips(proxy.take())).toBe(2);
    destroy();
  });
});
