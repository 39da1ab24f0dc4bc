import { isHistoryError, summary } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { describeWithPostgres } from "../../test-support/describe-with-postgres.ts";
import { isAtLength } from "../../test-support/is-at-length.ts";
import { messages } from "../../test-support/messages.ts";
import {
  addressOf,
  ISOLATIONS as ALL_ISOLATIONS,
  openStore,
} from "../../test-support/open-store.ts";
import type { Isolation } from "../../test-support/open-store.ts";
import { retried } from "../../test-support/retried.ts";
import { startPostgresServer } from "../../test-support/servers/start-postgres-server.ts";
import type { PostgresServer } from "../../test-support/servers/start-postgres-server.ts";

const CLIENTS = 8;
const ISOLATIONS = isAtLength ? ALL_ISOLATIONS : ALL_ISOLATIONS.slice(0, 1);

await describeWithPostgres("eight clients of postgresStore at once", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  it.each(ALL_ISOLATIONS)(
    "make the tables at once, each with its first call: %s",
    async (isolation) => {
      const schema = `made_by_${isolation.replace(" ", "_")}`;
      const address = addressOf(server.url, { schema, isolation, connections: 1 });
      await using handles = new AsyncDisposableStack();
      const stores: HistoryStore[] = [];
      for (let client = 0; client < CLIENTS; client += 1) {
        stores.push(handles.use(await openStore(address)).store);
      }
      const first = stores.map((store, client) => store.append(`${client}`, messages("a")));
      expect(await Promise.all(first)).toEqual(
        stores.map(() => ({ version: 1, duplicate: false })),
      );
    },
  );

  describe.each(ISOLATIONS)("%s", (isolation) => {
    it("lose, double and tear nothing that they append to one thread", async () => {
      await using clients = await openAll(server.url, isolation);
      await Promise.all(
        clients.stores.map(async (store, client) => {
          for (let batch = 0; batch < 6; batch += 1) {
            await retried(() => store.append("appends", batchOf(client, batch)));
          }
        }),
      );
      const { entries, problems } = await clients.reader.read("appends");
      expect(problems).toEqual([]);
      const ids = entries.map(({ id }) => id);
      const whole = ids.flatMap((id) => (id.endsWith(".0") ? batchIds(id.slice(0, -2)) : []));
      expect(ids).toEqual(whole);
      expect(new Set(ids).size).toBe(CLIENTS * 6 * 3);
    });

    it("win each revision of a state once", async () => {
      await using clients = await openAll(server.url, isolation);
      const wins = await Promise.all(
        clients.stores.map(async (store, client) => {
          const won: number[] = [];
          while (won.length < 5) {
            const expectedRevision = (await store.getState("states", "key"))?.revision ?? 0;
            const set = store.setState("states", "key", client, { expectedRevision });
            const revision = await set.then(
              (written) => written.revision,
              (error: unknown) => lost(error),
            );
            if (revision !== undefined) won.push(revision);
          }
          return won;
        }),
      );
      const revisions = wins.flat().toSorted((one, other) => one - other);
      expect(revisions).toEqual(Array.from({ length: CLIENTS * 5 }, (_, nth) => nth + 1));
    });

    it("commit one compaction at a revision, and make one fork of a name", async () => {
      await using clients = await openAll(server.url, isolation);
      await clients.reader.append("views", messages("a", "b", "c"));
      const compactions = clients.stores.map((store, client) =>
        store.commitCompaction("views", {
          view: "conversation",
          summary: summary({ id: `z${client}`, content: "", strategy: "whole", trust: "user" }),
          covers: [{ from: "a", to: "b" }],
          expectedViewRevision: 0,
        }),
      );
      const forks = clients.stores.map((store) => store.fork("views", { at: "b", as: "fork" }));
      for (const codes of await Promise.all([codesOf(compactions), codesOf(forks)])) {
        expect(codes.filter((code) => code !== "VERSION_CONFLICT")).toEqual(["done"]);
      }
      const view = { clauses: [{}], view: "conversation" } as const;
      expect((await clients.reader.read("views", { query: view })).entries).toHaveLength(2);
      expect((await clients.reader.read("views/fork")).entries).toHaveLength(2);
    });

    it("read a whole thread or none while it is deleted", async () => {
      await using clients = await openAll(server.url, isolation);
      const [deleting, ...reading] = clients.stores;
      const entries = messages(...Array.from({ length: 300 }, (_, nth) => `m${nth}`));
      await clients.reader.append("deleted", entries);
      const reads = reading.map(async (store) => {
        for (;;) {
          const length = await store.read("deleted").then(
            (found) => found.entries.length,
            (error: unknown) => codeOf(error, "THREAD_DELETED"),
          );
          if (length === undefined) return;
          expect(length).toBe(300);
        }
      });
      await deleting?.delete("deleted");
      await Promise.all(reads);
      expect(await codesOf([clients.reader.read("deleted")])).toEqual(["THREAD_DELETED"]);
    });
  });
});

interface Clients extends AsyncDisposable {
  readonly stores: readonly HistoryStore[];
  readonly reader: HistoryStore;
}

async function openAll(url: string, isolation: Isolation): Promise<Clients> {
  const schema = isolation.replace(" ", "_");
  const open = () => openStore(addressOf(url, { schema, isolation, connections: 2 }));
  const reader = await open();
  const clients = await Promise.all(Array.from({ length: CLIENTS }, open));
  return {
    stores: clients.map(({ store }) => store),
    reader: reader.store,
    [Symbol.asyncDispose]: async () => {
      for (const { close } of [reader, ...clients]) await close();
    },
  };
}

function batchIds(batch: string): readonly string[] {
  return [0, 1, 2].map((index) => `${batch}.${index}`);
}

function batchOf(client: number, batch: number): ReturnType<typeof messages> {
  return messages(...batchIds(`${client}.${batch}`));
}

function lost(error: unknown): undefined {
  if (isHistoryError(error, "VERSION_CONFLICT")) return undefined;
  if (isHistoryError(error, "STORE_UNAVAILABLE")) return undefined;
  throw error;
}

function codeOf(error: unknown, expected: "THREAD_DELETED"): undefined {
  if (!isHistoryError(error, expected)) throw error;
}

/** How each call ended. */
async function codesOf(calls: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const ended = await Promise.allSettled(calls);
  return ended.map((one) => (one.status === "fulfilled" ? "done" : one.reason.code));
}
