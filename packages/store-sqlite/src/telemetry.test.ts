import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";

import { SpanStatusCode } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";

import { messages } from "../test-support/messages.ts";
import { recordMetrics } from "../test-support/record-metrics.ts";
import { recordSpans } from "../test-support/record-spans.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

describe("spans and metrics of sqliteStore", () => {
  it("gives each verb a span with counts, and never ids or content", async () => {
    const spans = recordSpans();
    const store = sqliteStore({ path: ":memory:" });
    await store.append("secret-thread", messages("secret-a", "secret-b"));
    await store.append("secret-thread", messages("secret-a"));
    await store.read("secret-thread", { query: { clauses: [{}], maxEntries: 1 } });
    await store.setState("secret-thread", "secret-key", "secret", { expectedRevision: 0 });
    await store.getState("secret-thread", "secret-key");
    await store.fork("secret-thread", { at: "secret-a", as: "secret" });
    await store.list();
    await store.verify("secret-thread");
    await store.delete("secret-thread");
    expect(spans.map(({ name }) => name.replace("agent_history.store.", ""))).toEqual(
      "append append read setState getState fork list verify delete".split(" "),
    );
    expect(spans[0]?.attributes).toMatchObject({
      "agent_history.entries": 2,
      "agent_history.duplicate": false,
    });
    expect(spans[1]?.attributes["agent_history.duplicate"]).toBe(true);
    expect(spans[2]?.attributes["agent_history.entries"]).toBe(1);
    expect(spans.every(({ ended }) => ended)).toBe(true);
    expect(JSON.stringify(spans)).not.toContain("secret");
    await store.close();
  });

  it("leaves the code of a failure", async () => {
    const spans = recordSpans();
    const store = sqliteStore({ path: ":memory:" });
    const work = store.append("t", messages("a"), { expectedVersion: 7 });
    await expect(work).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
    expect(spans[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: "VERSION_CONFLICT" },
      ended: true,
    });
    await store.close();
  });

  it("counts tries while another held the lock", async () => {
    const { values } = recordMetrics();
    const spans = recordSpans();
    const path = temporaryFile();
    const store = sqliteStore({ path });
    await store.append("secret-thread", messages("secret-a", "secret-b"));
    const conflict = store.append("secret-thread", messages("c"), { expectedVersion: 7 });
    await expect(conflict).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
    const durations = values.filter(({ name }) => name === "duration");
    const failures = durations.map(({ attributes }) => attributes["error.type"]);
    expect(failures).toEqual([undefined, "VERSION_CONFLICT"]);

    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const waiting = store.append("secret-thread", messages("d"));
    // The first try waits within SQLite, which blocks the process: it is over when other work runs again.
    for (let nth = 0; nth < 5; nth += 1) await setImmediate();
    other.exec("COMMIT");
    other.close();
    await waiting;
    const retries = spans.map(({ attributes }) => attributes["agent_history.retries"]);
    expect(retries).toEqual([undefined, undefined, expect.any(Number)]);
    expect(JSON.stringify(values)).not.toContain("secret");
    await store.close();
  });
});
