import { describe, expect, it } from "vitest";

import { threadQueue } from "./thread-queue.ts";

/** A queue of which each sending ends when the test says so. */
function heldQueue(size: number) {
  const sent: string[] = [];
  const settled: string[] = [];
  const failed: string[] = [];
  const releases: ((isFailed: boolean) => void)[] = [];
  const queue = threadQueue<string>({
    joins: (together) => together.length < size,
    send: (threadId, together) => {
      sent.push(`${threadId}: ${together.join(" ")}`);
      return new Promise((resolve) => {
        const settle = (): void => void settled.push(...together);
        const failBehind = (behind: readonly string[]): void => void failed.push(...behind);
        releases.push((isFailed) => resolve({ settle, ...(isFailed && { failBehind }) }));
      });
    },
  });
  return {
    queue,
    sent,
    settled,
    failed,
    release: () => releases.shift()?.(false),
    fail: () => releases.shift()?.(true),
  };
}

const tick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("threadQueue", () => {
  it("has one sending in flight for each thread, and sends what waits together", async () => {
    const { queue, sent, release } = heldQueue(3);

    for (const item of ["a", "b"]) queue.push("one", item);
    queue.push("two", "x");
    await tick();
    for (const item of ["c", "d", "e", "f"]) queue.push("one", item);
    await tick();

    expect(sent).toEqual(["one: a b", "two: x"]);
    release();
    await tick();
    expect(sent.slice(2)).toEqual(["one: c d e"]);
    release();
    release();
    await tick();
    expect(sent.slice(3)).toEqual(["one: f"]);
    release();
    await queue.idle();
  });

  it("sends nothing of what waits behind a sending that failed, and goes on with what comes later", async () => {
    const { queue, sent, settled, failed, release, fail } = heldQueue(1);

    for (const item of ["a", "b", "c"]) queue.push("one", item);
    await tick();
    fail();
    await queue.idle();
    queue.push("one", "d");
    await tick();
    release();
    await queue.idle();

    expect(sent).toEqual(["one: a", "one: d"]);
    expect(settled).toEqual(["a", "d"]);
    expect(failed).toEqual(["b", "c"]);
  });

  it("answers callers once the next items are on their way", async () => {
    const { queue, sent, settled, release } = heldQueue(1);

    for (const item of ["a", "b"]) queue.push("one", item);
    await tick();
    release();
    await Promise.resolve();
    const before = [...settled];
    await tick();
    await tick();

    expect(before).toEqual([]);
    expect(sent).toEqual(["one: a", "one: b"]);
    expect(settled).toEqual(["a"]);
    release();
    await queue.idle();
    expect(settled).toEqual(["a", "b"]);
  });

  it("takes out what waits, and not what is on its way", async () => {
    const { queue, sent, release } = heldQueue(1);

    for (const item of ["a", "b"]) queue.push("one", item);
    await tick();
    const removed = [queue.remove("one", "a"), queue.remove("one", "b"), queue.remove("two", "a")];
    release();
    await queue.idle();

    expect(removed).toEqual([false, true, false]);
    expect(sent).toEqual(["one: a"]);
  });
});
