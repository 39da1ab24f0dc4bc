import { setImmediate } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { runAtOnce } from "./run-at-once.ts";

describe("runAtOnce", () => {
  it.each([
    [1, 1],
    [2, 2],
    [Infinity, 5],
  ])("runs %s at a time, in order, and never more than there are", async (limit, expected) => {
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const jobs = [0, 1, 2, 3, 4].map((job) => async () => {
      begun.push(job);
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    });
    await runAtOnce(jobs, limit);

    expect(most).toBe(expected);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it("fails with the first failure, after all others have ended", async () => {
    const gate = Promise.withResolvers<undefined>();
    let isSettled = false;
    const run = runAtOnce(
      [async () => Promise.reject(new Error("first")), async () => gate.promise],
      Infinity,
    ).finally(() => {
      isSettled = true;
    });
    const failure = run.catch((error: unknown) => error);
    await setImmediate();

    expect(isSettled).toBe(false);
    gate.resolve(undefined);
    expect(await failure).toMatchObject({ message: "first" });
  });
});
