import { HistoryError, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { driverFailure, memoryDriver, threadStore } from "./index.ts";
import type { ThreadDriver, ThreadStore } from "./index.ts";

describe("writes of one handle to one thread", () => {
  it("are not sent behind one that may be sent again; what is called later is", async () => {
    const store = failingOnce("OUTCOME_UNKNOWN");
    const { signal } = new AbortController();
    const calls = [
      store.append("t", messages("a"), { signal }),
      store.append("t", messages("b")),
      store.append("t", messages("c")),
    ];
    const codes = (await Promise.allSettled(calls)).map(codeOf);
    expect(codes).toEqual(["OUTCOME_UNKNOWN", ...Array(2).fill("STORE_UNAVAILABLE")]);
    for (const [nth, id] of ["a", "b", "c"].entries())
      expect((await store.append("t", messages(id))).version).toBe(nth + 1);
  });

  it("are sent behind one that was refused for good", async () => {
    const store = failingOnce("INVALID_OPTION");
    const calls = ["a", "b"].map((id) => store.append("t", messages(id), { expectedVersion: 0 }));
    const [first, second] = await Promise.allSettled(calls);
    expect([first && codeOf(first), second?.status]).toEqual(["INVALID_OPTION", "fulfilled"]);
  });

  it("are written together where several wait", async () => {
    const driver = memoryDriver(new Map());
    let commits = 0;
    const commit: ThreadDriver["commit"] = async (...given) => {
      commits += 1;
      return driver.commit(...given);
    };
    const store = storeOf({ ...driver, commit });
    await store.append("t", messages("a"));
    const before = commits;
    await Promise.all(["b", "c", "d", "e"].map((id) => store.append("t", messages(id))));
    expect([commits - before, (await store.read("t")).entryCount]).toEqual([1, 5]);
  });

  it("have answers of their own where several wait", async () => {
    const store = failingOnce(undefined);
    await store.append("t", messages("a", "b"));
    const calls = [["c"], ["a"], ["d", "e"], ["b", "x"], ["f"], []];
    const outcomes = await Promise.allSettled(
      calls.map((ids) => store.append("t", messages(...ids))),
    );
    expect(outcomes.map((one) => (one.status === "fulfilled" ? one.value : codeOf(one)))).toEqual([
      { version: 3, duplicate: false },
      { version: 3, duplicate: true },
      { version: 5, duplicate: false },
      "DUPLICATE_ID",
      { version: 6, duplicate: false },
      { version: 6, duplicate: false },
    ]);
  });
});

describe("a write whose own check is not answered", () => {
  it("may have been done, and says so", async () => {
    const driver = memoryDriver(new Map());
    let isDown = false;
    const read: ThreadDriver["read"] = async (...given) => {
      if (isDown) throw driverFailure("read", { outcome: "not-sent", reason: "down" });
      return driver.read(...given);
    };
    const commit: ThreadDriver["commit"] = async (...given) => {
      isDown = given[1].stamp === 0;
      return driver.commit(...given);
    };
    const store = storeOf({ ...driver, read, commit });
    const [outcome] = await Promise.allSettled([store.append("t", messages("a"))]);
    expect(outcome && codeOf(outcome)).toBe("OUTCOME_UNKNOWN");
    isDown = false;
    expect(await store.append("t", messages("a"))).toEqual({ version: 1, duplicate: true });
  });
});

describe("a thread that was begun beside a delete of its name", () => {
  it("is removed by the retry of an append whose own check was not answered", async () => {
    const driver = memoryDriver(new Map());
    const other = storeOf(driver);
    let isDown = false;
    const read: ThreadDriver["read"] = async (...given) => {
      if (isDown) throw driverFailure("read", { outcome: "not-sent", reason: "down" });
      return driver.read(...given);
    };
    const commit: ThreadDriver["commit"] = async (...given) => {
      isDown = given[1].stamp === 0;
      if (isDown) await other.delete("t");
      return driver.commit(...given);
    };
    const store = storeOf({ ...driver, read, commit });
    const [outcome] = await Promise.allSettled([store.append("t", messages("a"))]);
    expect(outcome && codeOf(outcome)).toBe("OUTCOME_UNKNOWN");
    isDown = false;
    const [again] = await Promise.allSettled([store.append("t", messages("a"))]);
    expect(again && codeOf(again)).toBe("THREAD_DELETED");
    const [read2] = await Promise.allSettled([other.read("t")]);
    expect(read2 && codeOf(read2)).toBe("THREAD_DELETED");
  });
});

/** A store whose first commit fails without effect. */
describe("list and ping", () => {
  it("are tried again where a failure passes", async () => {
    const driver = memoryDriver(new Map());
    let left = 2;
    const failing = async (): Promise<void> => {
      if ((left -= 1) < 0) return;
      throw driverFailure("read", { outcome: "not-sent", reason: "busy", isPassing: true });
    };
    const store = storeOf({
      ...driver,
      ping: failing,
      list: async (...given) => failing().then(async () => driver.list(...given)),
    });
    await store.ping();
    left = 2;
    expect(await store.list()).toEqual({ threads: [] });
  });

  it("end at the deadline where nothing answers", async () => {
    const silent = async (): Promise<never> => new Promise(() => {});
    const driver = { ...memoryDriver(new Map()), ping: silent, list: silent };
    const store = storeOf(driver, 1);
    const codes = (await Promise.allSettled([store.ping(), store.list()])).map(codeOf);
    expect(codes).toEqual(["STORE_UNAVAILABLE", "STORE_UNAVAILABLE"]);
  });
});

function failingOnce(code: "OUTCOME_UNKNOWN" | "INVALID_OPTION" | undefined): ThreadStore {
  const driver = memoryDriver(new Map());
  let left = code;
  const commit: ThreadDriver["commit"] = async (...given) => {
    const failure = left;
    left = undefined;
    if (failure !== undefined) throw new HistoryError("failed", { code: failure });
    return driver.commit(...given);
  };
  return storeOf({ ...driver, commit });
}

function storeOf(driver: ThreadDriver, timeoutMs = Infinity): ThreadStore {
  const description = { kind: "memory", durability: "None.", details: {} };
  const options = { scope: "test", system: "memory", describe: async () => description, timeoutMs };
  return threadStore(driver, options);
}

function messages(...ids: readonly string[]): readonly HistoryEntry[] {
  return ids.map((id) => userMessage({ id, content: id, createdAtMs: 0 }));
}

function codeOf(outcome: PromiseSettledResult<unknown>): unknown {
  return outcome.status === "rejected" ? outcome.reason.code : undefined;
}
