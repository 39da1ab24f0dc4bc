import { isHistoryError } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { messages } from "../test-support/messages.ts";
import { pglite, schemaOf } from "../test-support/pglite.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { postgresStore } from "./postgres-store.ts";

function failure(code: string, message = "secret"): Error {
  return Object.assign(new Error(message), { code });
}

/** PGlite, whose next commits fail: before they are done, or when their answer is on its way. */
function faultyClient(): PostgresClient & {
  readonly failBefore: Error[];
  readonly failAfter: Error[];
} {
  const [failBefore, failAfter]: [Error[], Error[]] = [[], []];
  return {
    failBefore,
    failAfter,
    query: async (text, values) => {
      const isCommit = text.includes("commit_thread(") && !text.includes("CREATE FUNCTION");
      const before = isCommit ? failBefore.shift() : undefined;
      if (before !== undefined) throw before;
      const result = await pglite.query(text, values);
      const after = isCommit ? failAfter.shift() : undefined;
      if (after !== undefined) throw after;
      return result as Awaited<ReturnType<PostgresClient["query"]>>;
    },
  };
}

describe("a statement that fails", () => {
  it.each<[string, Error, string, string]>([
    ["a refused connection", failure("ECONNREFUSED"), "STORE_UNAVAILABLE", "unreachable"],
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
    ["a statement_timeout", failure("57014"), "STORE_UNAVAILABLE", "canceled"],
    ["rows that somebody changed", failure("23514"), "THREAD_CORRUPT", "constraint"],
    ["a reset connection", failure("ECONNRESET"), "OUTCOME_UNKNOWN", "disconnected"],
    ["an ended connection", new Error("Connection terminated"), "OUTCOME_UNKNOWN", "disconnected"],
    ["a server that is shut down", failure("57P01"), "OUTCOME_UNKNOWN", "disconnected"],
    ["what nobody knows", new Error("?"), "OUTCOME_UNKNOWN", "disconnected"],
  ])("by %s says what became of it, and quotes nothing", async (what, error, code, reason) => {
    const client = faultyClient();
    const store = postgresStore({ client, schema: schemaOf(`fails ${what}`) });
    client.failBefore.push(error);
    const thrown = await store.append("t", messages("a")).catch((caught: unknown) => caught);
    if (!isHistoryError(thrown)) throw thrown;
    expect([thrown.code, thrown.details["reason"]]).toEqual([code, reason]);
    expect(thrown.message).not.toContain("secret");
    expect(await store.append("t", messages("a"))).toEqual({ version: 1, duplicate: false });
  });

  it.each(["40001", "40P01", "23505"])(
    "by %s, undone for another's sake, is sent again",
    async (code) => {
      const client = faultyClient();
      const store = postgresStore({ client, schema: schemaOf(`undone ${code}`) });
      client.failBefore.push(failure(code), failure(code));
      expect(await store.append("t", messages("a"))).toEqual({ version: 1, duplicate: false });
    },
  );

  it("when its answer was lost is known again by its ids", async () => {
    const client = faultyClient();
    const store = postgresStore({ client, schema: schemaOf("lost") });
    client.failAfter.push(failure("ECONNRESET"));
    await expect(store.append("t", messages("a"))).rejects.toMatchObject({
      code: "OUTCOME_UNKNOWN",
    });
    expect(await store.append("t", messages("a"))).toEqual({ version: 1, duplicate: true });
  });

  it("fails what waits behind it unsent, if it may be sent again", async () => {
    const client = faultyClient();
    const store = postgresStore({ client, schema: schemaOf("behind") });
    await store.append("t", messages("first"));
    client.failBefore.push(failure("ECONNRESET"));
    const outcomes = await Promise.allSettled([
      store.append("t", messages("a")),
      store.setState("t", "key", 1, { expectedRevision: 0 }),
      store.append("t", messages("b")),
    ]);
    const codes = outcomes.map((one) =>
      one.status === "rejected" && isHistoryError(one.reason)
        ? [one.reason.code, one.reason.details["reason"]]
        : one.status,
    );
    expect(codes).toEqual([
      ["OUTCOME_UNKNOWN", "disconnected"],
      ["STORE_UNAVAILABLE", "behind-failed"],
      ["STORE_UNAVAILABLE", "behind-failed"],
    ]);
    expect((await store.read("t")).entryCount).toBe(1);
  });
});

describe("a server that does not answer", () => {
  const client: PostgresClient = {
    query: async (text, values) =>
      text.includes("AS done")
        ? new Promise(() => {})
        : ((await pglite.query(text, values)) as Awaited<ReturnType<PostgresClient["query"]>>),
  };

  it("leaves a write unknown at its deadline, or when its caller goes", async () => {
    const store = postgresStore({ client, schema: schemaOf("silent"), timeoutMs: 2000 });
    await store.list();
    const caller = new AbortController();
    const aborted = store.append("u", messages("a"), { signal: caller.signal });
    const late = store.append("t", messages("a"));
    setTimeout(() => caller.abort(), 200);
    const codes = (await Promise.allSettled([aborted, late])).map(
      (one) => one.status === "rejected" && [one.reason.code, one.reason.details.reason],
    );
    expect(codes).toEqual([
      ["OUTCOME_UNKNOWN", "aborted"],
      ["OUTCOME_UNKNOWN", "timeout"],
    ]);
  });

  it("fails a read", async () => {
    const silent: PostgresClient = { query: async () => new Promise(() => {}) };
    const store = postgresStore({ client: silent, migrates: false, timeoutMs: 1 });
    await expect(store.read("t")).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { reason: "timeout" },
    });
  });
});

describe("tables that another makes at once", () => {
  it.each(["42P07", "42P06", "42723", "23505", "40001"])(
    "are waited for: by %s the migration is sent again",
    async (code) => {
      let isFirst = true;
      const client: PostgresClient = {
        query: async (text, values) => {
          if (isFirst) {
            isFirst = false;
            throw failure(code);
          }
          return (await pglite.query(text, values)) as Awaited<ReturnType<PostgresClient["query"]>>;
        },
      };
      const store = postgresStore({ client, schema: schemaOf(`made ${code}`) });
      expect(await store.append("t", messages("a"))).toEqual({ version: 1, duplicate: false });
    },
  );

  it("are not ours if they stay in the way", async () => {
    const client: PostgresClient = { query: async () => Promise.reject(failure("42P07")) };
    await expect(postgresStore({ client }).append("t", messages("a"))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      details: { outcome: "rejected", reason: "altered" },
    });
  });
});
