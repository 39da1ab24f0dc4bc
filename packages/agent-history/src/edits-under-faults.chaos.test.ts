import { describe, expect, it } from "vitest";

import { describeWithPostgres } from "../../store-postgres/test-support/describe-with-postgres.ts";
import { describeWithRedis } from "../../store-redis/test-support/describe-with-redis.ts";
import { breakEdits, judgeLog } from "../test-support/edit-faults/break-edits.ts";
import type { StoreKind } from "../test-support/session-faults/start-place.ts";

function faultsIn(kind: StoreKind): void {
  it("loses, doubles and brings back nothing", async () => {
    const report = await breakEdits({ kind, kills: 3, cuts: 3, everyItems: 9 });

    const { acknowledged, atReplacements, cut, kills, ...wrong } = report;
    expect(wrong).toEqual({ lost: 0, doubled: 0, resurrected: 0, others: 0, broken: 0 });
    expect(kills).toBe(3);
    expect(atReplacements).toBeLessThanOrEqual(kills);
    expect(acknowledged).toBeGreaterThanOrEqual(kind === "sqlite" ? 27 : 108);
    expect(cut).toBeGreaterThanOrEqual(kind === "sqlite" ? 0 : 6);
  });
}

describe("a thread whose end is replaced by a writer that is killed, in SQLite", () => {
  faultsIn("sqlite");
});

await describeWithRedis(
  "a thread whose end is replaced by a writer that is killed and cut off, in Redis",
  () => {
    faultsIn("redis");
  },
);

await describeWithPostgres(
  "a thread whose end is replaced by a writer that is killed and cut off, in Postgres",
  () => {
    faultsIn("postgres");
  },
);

describe("judgeLog", () => {
  it("sees what was lost, doubled, brought back and moved", () => {
    const right = { lost: 0, doubled: 0, resurrected: 0, others: 0 };
    const judged = (found: readonly string[]) => judgeLog(found, ["a", "b"], new Set(["x"]));

    expect(judged(["a", "b"])).toEqual(right);
    expect(judged(["a"])).toEqual({ ...right, lost: 1 });
    expect(judged(["a", "b", "b"])).toEqual({ ...right, doubled: 1 });
    expect(judged(["a", "b", "x"])).toEqual({ ...right, resurrected: 1 });
    expect(judged(["b", "a"])).toEqual({ ...right, others: 1 });
    expect(judged(["a", "b", "c"])).toEqual({ ...right, others: 1 });
  });
});
