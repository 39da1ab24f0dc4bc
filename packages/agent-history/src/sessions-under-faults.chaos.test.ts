import { describe, expect, it } from "vitest";

import { describeWithPostgres } from "../../store-postgres/test-support/describe-with-postgres.ts";
import { describeWithRedis } from "../../store-redis/test-support/describe-with-redis.ts";
import { breakSession, judgeNumbers } from "../test-support/session-faults/break-session.ts";
import { sessionClients } from "../test-support/session-faults/session-clients.ts";
import type { StoreKind } from "../test-support/session-faults/start-place.ts";

function faultsIn(kind: StoreKind): void {
  it.each(Object.keys(sessionClients))(
    "%s loses and doubles no acknowledged item, and keeps the order",
    async (sdk) => {
      const report = await breakSession({ sdk, kind, kills: 2, cuts: 4, everyItems: 4 });

      const { acknowledged, cut, kills, ...wrong } = report;
      expect(wrong).toEqual({ lost: 0, doubled: 0, outOfOrder: 0, unknown: 0 });
      expect(kills).toBe(2);
      expect(acknowledged).toBeGreaterThanOrEqual(kind === "sqlite" ? 8 : 40);
      expect(cut).toBeGreaterThanOrEqual(kind === "sqlite" ? 0 : 4);
    },
  );
}

describe("a session whose client is killed, in SQLite", () => {
  faultsIn("sqlite");
});

await describeWithRedis("a session whose client is killed and cut off, in Redis", () => {
  faultsIn("redis");
});

await describeWithPostgres("a session whose client is killed and cut off, in Postgres", () => {
  faultsIn("postgres");
});

describe("judgeNumbers", () => {
  it("sees what was lost, doubled, moved and never sent; one item may be on its way", () => {
    const right = { acknowledged: 3, lost: 0, doubled: 0, outOfOrder: 0, unknown: 0 };

    expect(judgeNumbers([0, 1, 2], 3)).toEqual(right);
    expect(judgeNumbers([0, 1, 2, 3], 3)).toEqual(right);
    expect(judgeNumbers([0, 2], 3)).toEqual({ ...right, lost: 1 });
    expect(judgeNumbers([0, 1, 1, 2], 3)).toEqual({ ...right, doubled: 1 });
    expect(judgeNumbers([0, 2, 1], 3)).toEqual({ ...right, outOfOrder: 1 });
    expect(judgeNumbers([0, 1, 2, 4], 3)).toEqual({ ...right, unknown: 1 });
  });
});
