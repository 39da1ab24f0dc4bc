import { isHistoryError, summary, userMessage } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { eventually } from "../test-support/eventually.ts";
import { faultClient } from "../test-support/fault-client.ts";
import type { FaultClient } from "../test-support/fault-client.ts";
import { holdClock } from "../test-support/held-clock.ts";
import { startJsRedisServer } from "../test-support/servers/start-js-redis-server.ts";
import type { JsRedisServer } from "../test-support/servers/start-js-redis-server.ts";
import type { RedisStoreOptions } from "./redis-store-options.ts";
import { redisStore } from "./redis-store.ts";

let server: JsRedisServer;
let inner: ReturnType<typeof createClient>;
let namespaces = 0;

beforeAll(async () => {
  server = await startJsRedisServer();
  inner = createClient({ url: server.url });
  inner.on("error", () => {});
  await inner.connect();
});
afterAll(async () => {
  inner.destroy();
  await server.stop();
});

/** A store of its own namespace, over a client with faults. */
function open(options: Partial<RedisStoreOptions> = {}): FaultClient & { store: HistoryStore } {
  const faults = faultClient(inner);
  const namespace = `test-${(namespaces += 1)}`;
  return {
    ...faults,
    store: redisStore({ client: faults.client, namespace, timeoutMs: 120_000, ...options }),
  };
}

const message = (id: string) => userMessage({ id, createdAtMs: 1, content: "Hello" });
/** More than a short thread may have. */
const FORTY = ["a", ...Array.from({ length: 39 }, (_, index) => `a${index}`)].map(message);
const scriptsOf = ({ sent }: FaultClient): string[][] =>
  sent.filter(([command]) => command === "EVALSHA");
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => (isHistoryError(error) ? error.code : error),
  );
const idsOf = async (store: HistoryStore, thread: string): Promise<readonly string[]> =>
  (await store.read(thread)).entries.map(({ id }) => id);

describe("redisStore", () => {
  it.each([
    ["namespace", { namespace: "" }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["ttlMs", { ttlMs: -1 }],
    ["replicas", { replicas: Infinity }],
    ["rememberedThreads", { rememberedThreads: 0.5 }],
  ])("refuses a wrong %s at construction", (option, options) => {
    expect(() => open(options)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", details: { option } }),
    );
  });

  it("sends what waits for a thread together, and answers each caller", async () => {
    const { store, ...faults } = open();
    await store.append("t", [message("a")]);
    const before = scriptsOf(faults).length;

    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
    const answers = await Promise.all(ids.map((id) => store.append("t", [message(id)])));

    expect(answers.map(({ version }) => version)).toEqual(ids.map((_, index) => index + 2));
    expect(scriptsOf(faults).length - before).toBe(1);
    expect(await idsOf(store, "t")).toEqual(["a", ...ids]);
  });

  it("refuses one caller's batch without the others'", async () => {
    const { store } = open();
    await store.append("t", [message("a")]);

    const codes = await Promise.all([
      codeOf(store.append("t", [message("b")])),
      codeOf(store.append("t", [message("a"), message("c")])),
      codeOf(store.append("t", [userMessage({ id: "a", createdAtMs: 1, content: "Other" })])),
      codeOf(store.append("t", [message("d")], { expectedVersion: 7 })),
      codeOf(store.append("t", [message("e")])),
    ]);

    expect(codes).toEqual(["done", "DUPLICATE_ID", "DUPLICATE_ID", "VERSION_CONFLICT", "done"]);
    expect(await idsOf(store, "t")).toEqual(["a", "b", "e"]);
  });

  it("holds a batch that waits among others to the version that it expects", async () => {
    const { store } = open();
    await store.append("t", [message("a")]);

    const codes = await Promise.all([
      codeOf(store.append("t", [message("b")])),
      codeOf(store.append("t", [message("c")], { expectedVersion: 1 })),
      codeOf(store.append("t", [message("d")], { expectedVersion: 2 })),
      codeOf(store.append("t", [message("e")])),
    ]);

    expect(codes).toEqual(["done", "VERSION_CONFLICT", "done", "done"]);
    expect(await idsOf(store, "t")).toEqual(["a", "b", "d", "e"]);
  });

  it("writes once where an answer was lost, in every verb", async () => {
    const { store, loseNextAnswer } = open();
    const lost = <T>(run: () => Promise<T>): Promise<T> => {
      loseNextAnswer();
      return run();
    };
    const compaction = {
      view: "conversation",
      summary: summary({ id: "s", strategy: "test", trust: "user", content: "Before." }),
      covers: [{ from: "a", to: "a" }],
      expectedViewRevision: 0,
    } as const;

    const appended = await lost(() => store.append("t", [message("a"), message("b")]));
    const state = await lost(() => store.setState("t", "k", 1, { expectedRevision: 0 }));
    const committed = await lost(() => store.commitCompaction("t", compaction));
    const forked = await lost(() => store.fork("t", { at: "a", as: "f" }));
    const expanded = await codeOf(lost(() => store.expand("t", "s")));
    const deleted = await codeOf(lost(() => store.delete("t/f")));

    expect(appended.version).toBe(2);
    expect([state, committed]).toEqual([{ revision: 1 }, { viewRevision: 1 }]);
    expect(forked).toEqual({ threadId: "t/f" });
    expect([expanded, deleted]).toEqual(["OUTCOME_UNKNOWN", "done"]);
    expect(await idsOf(store, "t")).toEqual(["a", "b"]);
    expect(await store.verify("t")).toEqual([]);
  });

  it("gives no summary an id that an entry took meanwhile", async () => {
    const { store, beforeNextScript } = open();
    const other = redisStore({ client: inner, namespace: `test-${namespaces}` });
    await store.append("t", [message("a")]);
    beforeNextScript(() => other.append("t", [message("s")]));
    const committed = store.commitCompaction("t", {
      view: "conversation",
      summary: summary({ id: "s", strategy: "test", trust: "user", content: "Before." }),
      covers: [{ from: "a", to: "a" }],
      expectedViewRevision: 0,
    });

    expect(await codeOf(committed)).toBe("DUPLICATE_ID");
    expect(await store.verify("t")).toEqual([]);
  });

  it("gives up at its deadline, and writes once when asked again", async () => {
    const clock = holdClock();
    const { store, freeze } = open({ timeoutMs: 50 });
    const other = redisStore({ client: inner, namespace: `test-${namespaces}` });
    await store.append("t", [message("a")]);
    freeze(true);
    const append = codeOf(store.append("t", [message("b")]));
    await eventually("it is written", async () => (await idsOf(other, "t")).length === 2);
    clock.pass(50);
    const unanswered = await append;
    freeze(false);
    const again = await store.append("t", [message("b")]);

    expect(unanswered).toBe("OUTCOME_UNKNOWN");
    expect(again).toEqual({ version: 2, duplicate: true });
  });

  it("sends nothing that waits behind an append that failed: that may be sent again, and stands first", async () => {
    const clock = holdClock();
    const { store, freeze, sent } = open({ timeoutMs: 50 });
    await store.append("t", [message("a")]);
    freeze(true);
    const before = sent.length;
    const first = codeOf(store.append("t", [message("b")], { expectedVersion: "exists" }));
    await eventually("the first is on its way", () => sent.length > before);
    clock.pass(25);
    const second = codeOf(store.append("t", [message("c")], { expectedVersion: "exists" }));
    clock.pass(25);
    const codes = await Promise.all([first, second]);
    freeze(false);

    expect(codes).toEqual(["OUTCOME_UNKNOWN", "STORE_UNAVAILABLE"]);
    for (const id of ["b", "c"]) await store.append("t", [message(id)]);
    expect(await idsOf(store, "t")).toEqual(["a", "b", "c"]);
  });

  it("takes a batch back that waits when its caller's signal fires", async () => {
    const { store, freeze, sent } = open({ timeoutMs: 60_000 });
    await store.append("t", [message("a")]);
    const controllers = [new AbortController(), new AbortController()];
    freeze(true);
    const before = sent.length;
    const first = codeOf(
      store.append("t", [message("b")], {
        expectedVersion: 1,
        signal: controllers[0]?.signal ?? never,
      }),
    );
    await eventually("the first batch is on its way", () => sent.length > before);
    const second = codeOf(
      store.append("t", [message("c")], { signal: controllers[1]?.signal ?? never }),
    );
    for (const controller of controllers) controller.abort();

    expect(await Promise.all([first, second])).toEqual(["OUTCOME_UNKNOWN", "ABORTED"]);
    freeze(false);
    expect(sent.flat().some((text) => text.includes('"id":"c"'))).toBe(false);
  });

  it("tells once that a history was rewound, and goes on with what is there", async () => {
    const { store } = open();
    await store.append("t", [message("a"), message("b")]);
    await store.append("other", [message("a")]);
    const keys = await inner.keys("ah:{test-*:t}*");
    await inner.del(keys.filter((key) => key.includes(`test-${namespaces}:`)));

    expect(await codeOf(store.read("t"))).toBe("HISTORY_REWOUND");
    expect(await store.append("t", [message("b")])).toEqual({ version: 1, duplicate: false });
    expect(await idsOf(store, "t")).toEqual(["b"]);
    expect(await idsOf(store, "other")).toEqual(["a"]);
  });

  it("writes nothing behind a history that was rewound", async () => {
    const { store } = open();
    await store.append("t", [message("a"), message("b")]);
    const prefix = `ah:{test-${namespaces}:t}`;
    await inner.del(await inner.keys(`${prefix}*`));
    const other = redisStore({ client: inner, namespace: `test-${namespaces}` });
    await other.append("t", [message("x"), message("y")]);

    expect(await codeOf(store.append("t", [message("c")]))).toBe("HISTORY_REWOUND");
    expect(await idsOf(other, "t")).toEqual(["x", "y"]);
  });

  it("lets all keys of a tree expire at one moment, and finds nothing lost then", async () => {
    const { store } = open({ ttlMs: 60_000 });
    const keys = () => inner.keys(`ah:{test-${namespaces}:t}*`);
    await store.append("t", FORTY);
    await store.fork("t", { at: "a", as: "f" });
    await store.setState("t/f", "k", 1, { expectedRevision: 0 });
    const moments = await Promise.all((await keys()).map((key) => inner.pExpireTime(key)));

    expect(moments.length).toBeGreaterThan(10);
    expect(new Set(moments).size).toBe(1);

    const brief = redisStore({ client: inner, namespace: `test-${namespaces}`, ttlMs: 1 });
    await brief.append("t", [message("b")]);
    await eventually("the tree has expired", async () => (await keys()).length === 0);
    expect(await idsOf(brief, "t")).toEqual([]);
  });

  it("shares a log with forks until the last of them is deleted", async () => {
    const { store } = open();
    const logs = async () => (await inner.keys(`ah:{test-${namespaces}:t}*:l`)).length;
    await store.append("t", [message("a"), message("b"), ...FORTY.slice(1)]);
    await store.fork("t", { at: "b", as: "f" });
    await store.append("t/f", [message("c")]);
    await store.delete("t");

    expect(await idsOf(store, "t/f")).toEqual(["a", "b", "c"]);
    expect(await logs()).toBe(2);
    await store.delete("t/f");
    expect(await logs()).toBe(0);
    const left = await inner.keys(`ah:{test-${namespaces}:t}*`);
    expect(left.map((key) => key.slice(key.indexOf("}") + 1)).toSorted()).toEqual([
      "/f:m",
      ":m",
      ":tree",
    ]);
  });

  it("says that the outcome is unknown where replicas did not follow", async () => {
    const { store } = open({ replicas: 1 });

    expect(await codeOf(store.append("t", [message("a")]))).toBe("OUTCOME_UNKNOWN");
    expect(await idsOf(store, "t")).toEqual(["a"]);
  });

  it("gives every script keys of one slot, and never the same handle two namespaces", async () => {
    const { store, ...faults } = open();
    await store.append("a{x}/*", [message("a")]);
    await store.fork("a{x}/*", { at: "a", as: "}{" });
    await store.setState("a{x}/*", "k", 1, { expectedRevision: 0 });
    await store.delete("a{x}/*");

    for (const [, , count, ...rest] of scriptsOf(faults)) {
      const tags = rest.slice(0, Number(count)).map((key) => /^ah:\{([^{}]+)\}/.exec(key)?.[1]);
      expect(new Set(tags)).toEqual(new Set([`test-${namespaces}:a%007bx%007d`]));
    }
    expect(scriptsOf(faults).length).toBeGreaterThanOrEqual(4);
  });
});

const never = new AbortController().signal;
