import { isHistoryError } from "@agent-history/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { heldClient, settled } from "../test-support/held-client.ts";
import { messages } from "../test-support/messages.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { postgresStore } from "./postgres-store.ts";

const WRITTEN = [{ kind: "written", n: 1, k: null, v: null }];

function failure(code: string, message = "secret"): Error {
  return Object.assign(new Error(message), { code });
}

describe("a statement that fails", () => {
  it.each<[string, Error, string, string]>([
    ["a refused connection", failure("ECONNREFUSED"), "STORE_UNAVAILABLE", "unreachable"],
    ["a name that is unknown", failure("ENOTFOUND"), "STORE_UNAVAILABLE", "unreachable"],
    ["too many connections", failure("53300"), "STORE_UNAVAILABLE", "unreachable"],
    ["a server that starts up", failure("57P03"), "STORE_UNAVAILABLE", "unreachable"],
    [
      "a client that is closed",
      new Error("Client was closed and is not queryable"),
      "STORE_UNAVAILABLE",
      "unreachable",
    ],
    ["a standby", failure("25006"), "STORE_UNAVAILABLE", "read-only"],
    ["a full disk", failure("53100"), "STORE_UNAVAILABLE", "full"],
    ["a role without rights", failure("42501"), "STORE_UNAVAILABLE", "no-permission"],
    ["tables that are not there", failure("42P01"), "STORE_UNAVAILABLE", "not-migrated"],
    ["a column that was dropped", failure("42703"), "STORE_UNAVAILABLE", "altered"],
    ["a constraint that was dropped", failure("42704"), "STORE_UNAVAILABLE", "altered"],
    ["a statement_timeout", failure("57014"), "STORE_UNAVAILABLE", "canceled"],
    ["rows that somebody changed", failure("23514"), "THREAD_CORRUPT", "constraint"],
    ["a reset connection", failure("ECONNRESET"), "OUTCOME_UNKNOWN", "disconnected"],
    ["an ended connection", new Error("Connection terminated"), "OUTCOME_UNKNOWN", "disconnected"],
    ["a server that is shut down", failure("57P01"), "OUTCOME_UNKNOWN", "disconnected"],
    ["what nobody knows", new Error("?"), "OUTCOME_UNKNOWN", "disconnected"],
  ])("by %s says what became of it, and quotes nothing", async (_what, error, code, reason) => {
    const client = heldClient();
    const store = postgresStore({ client, migrates: false });
    const written = store.append("t", messages("a"));
    await settled();
    client.fail(error);
    const thrown = await written.catch((caught: unknown) => caught);
    if (!isHistoryError(thrown)) throw thrown;
    expect([thrown.code, thrown.details["reason"]]).toEqual([code, reason]);
    expect(thrown.message).not.toContain("secret");
    const read = store.read("t");
    await settled();
    client.fail(failure("ECONNRESET"));
    await expect(read).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it.each(["40001", "40P01", "23505"])(
    "by %s, undone for the sake of another, is sent again",
    async (code) => {
      const client = heldClient();
      const store = postgresStore({ client, migrates: false });
      const written = store.append("t", messages("a"));
      await settled();
      client.fail(failure(code));
      await settled();
      client.answer(WRITTEN);
      expect(await written).toEqual({ version: 1, duplicate: false });
    },
  );

  it("in time is sent again, but never once its caller was answered", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const client = heldClient();
    const store = postgresStore({ client, migrates: false });
    const caller = new AbortController();
    const late = store.setState("t", "late", 1, { expectedRevision: 0 });
    const aborted = store.setState("u", "aborted", 1, {
      expectedRevision: 0,
      signal: caller.signal,
    });
    const answers = Promise.allSettled([late, aborted]);
    await settled();
    caller.abort();
    vi.advanceTimersByTime(10_000);
    const codes = (await answers).map((one) => one.status === "rejected" && one.reason.code);
    expect(codes).toEqual(["OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN"]);
    client.fail(failure("40001"));
    client.fail(failure("40P01"));
    await settled();
    expect(client.waiting()).toBe(0);
  });

  it("to a thread that others change all the time ends with its deadline", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let sent = 0;
    const moved = [{ kind: "moved", n: 0, k: null, v: null }];
    const client: PostgresClient = {
      query: async () => {
        sent += 1;
        vi.advanceTimersByTime(4000);
        return { rows: moved };
      },
    };
    const store = postgresStore({ client, migrates: false });
    await expect(store.append("t", messages("a"))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "rejected", reason: "contended" },
    });
    expect(sent).toBe(3);
  });
});

describe("a read", () => {
  it("that overtakes an append of the same handle on another connection is not taken for a rewound thread", async () => {
    const client = heldClient();
    const store = postgresStore({ client, migrates: false });
    const read = store.read("t");
    const written = store.append("t", messages("a"));
    await settled();
    client.answerLast(WRITTEN);
    expect(await written).toEqual({ version: 1, duplicate: false });
    const none = async (): Promise<void> => {
      for (let round = 0; round < 2; round += 1) {
        await settled();
        client.answer([]);
      }
    };
    await none();
    expect((await read).version).toBe(0);
    const later = store.read("t");
    const [, ended] = await Promise.all([none(), later.catch((error: unknown) => error)]);
    expect(ended).toMatchObject({ code: "HISTORY_REWOUND" });
  });
});

describe("writes of one handle", () => {
  it("to one thread are on their way one at a time, those to others at once", async () => {
    const client = heldClient();
    const store = postgresStore({ client, migrates: false });
    const writes = ["t", "t", "u"].map((id, nth) => store.append(id, messages(`m${nth}`)));
    await settled();
    expect(client.waiting()).toBe(2);
    for (let nth = 0; nth < 3; nth += 1) {
      client.answer(WRITTEN);
      await settled();
    }
    await Promise.all(writes);
  });

  it("fail unsent behind one that may be sent again, and go on behind a refusal", async () => {
    const client = heldClient();
    const store = postgresStore({ client, migrates: false });
    const writes = ["a", "b", "c"].map((id) => store.append("t", messages(id)));
    const outcomes = Promise.allSettled(writes);
    await settled();
    client.answer([{ kind: "conflict", n: 7, k: null, v: null }]);
    await settled();
    client.fail(failure("ECONNRESET"));
    const codes = (await outcomes).map((one) =>
      one.status === "rejected" && isHistoryError(one.reason)
        ? [one.reason.code, one.reason.details["reason"]]
        : one.status,
    );
    expect(codes).toEqual([
      ["VERSION_CONFLICT", undefined],
      ["OUTCOME_UNKNOWN", "disconnected"],
      ["STORE_UNAVAILABLE", "behind-failed"],
    ]);
    expect(client.waiting()).toBe(0);
  });

  it("end when their callers go: unsent ones unwritten, sent ones unknown", async () => {
    const client = heldClient();
    const store = postgresStore({ client, migrates: false });
    const [first, second] = [new AbortController(), new AbortController()];
    const writes = [first, second].map(({ signal }, nth) =>
      store.append("t", messages(`m${nth}`), { signal }),
    );
    const outcomes = Promise.allSettled(writes);
    await settled();
    second.abort();
    first.abort();
    const codes = (await outcomes).map((one) => one.status === "rejected" && one.reason.code);
    expect(codes).toEqual(["OUTCOME_UNKNOWN", "ABORTED"]);
  });

  it("are unknown after the deadline, reads only late", async () => {
    const client = heldClient();
    const store = postgresStore({ client, migrates: false, timeoutMs: 1 });
    await expect(store.append("t", messages("a"))).rejects.toMatchObject({
      code: "OUTCOME_UNKNOWN",
      details: { reason: "timeout" },
    });
    await expect(store.read("t")).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { reason: "timeout" },
    });
  });

  it.each(["42P07", "42P06", "42723", "23505", "40001"])(
    "wait for tables that another makes at once: by %s the migration is sent again",
    async (code) => {
      const client = heldClient();
      const store = postgresStore({ client });
      const written = store.append("t", messages("a"));
      await settled();
      client.fail(failure(code));
      await settled();
      client.answer([]);
      await settled();
      client.answer(WRITTEN);
      expect(await written).toEqual({ version: 1, duplicate: false });
    },
  );

  it("say that tables are there which this release did not make", async () => {
    const client: PostgresClient = { query: async () => Promise.reject(failure("42P07")) };
    await expect(postgresStore({ client }).append("t", messages("a"))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "rejected", reason: "altered" },
    });
  });

  it("are not sent where the deadline passed while the tables were made", async () => {
    const client = heldClient();
    const store = postgresStore({ client, timeoutMs: 1 });
    await expect(store.append("t", messages("a"))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "not-sent", reason: "timeout" },
    });
    client.answer([]);
    await settled();
    expect(client.waiting()).toBe(0);
  });
});
