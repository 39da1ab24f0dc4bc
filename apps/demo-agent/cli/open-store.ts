import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/core/memory-store";
import { sqliteStore } from "@agent-history/store-sqlite";

import { openRedis } from "./open-redis.ts";

/** The store of a run. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: HistoryStore;
  /** Where it is, for a person; never with a password. */
  readonly location: string;
  /** The same in a word. */
  readonly name: string;
  /** What to write after `pnpm demo` to find it again: empty where it is found anyway, nothing where it ends with the process. */
  readonly flag: string | undefined;
}

/** What says where the thread is kept. */
export interface StoreRequest {
  /** `memory`, `sqlite:PATH` or a Redis URL. Default: `REDIS_URL`, else a file in the cache folder. */
  readonly store?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cacheFolder: string;
}

/**
 * Opens the store that was asked for.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if it is none of these, `STORE_UNAVAILABLE` where it cannot be opened.
 */
export async function openStore(request: StoreRequest): Promise<OpenedStore> {
  const { store, env, cacheFolder } = request;
  const url = env["REDIS_URL"] ?? "";
  if (store === undefined && url !== "") return openRedis(url, "");
  if (store === undefined) return openSqlite(resolve(cacheFolder, "demo.db"), "");
  if (store === "memory")
    return opened(memoryStore(), "memory", ", until this process ends", undefined);
  if (store.startsWith("sqlite:") && store !== "sqlite:") {
    const path = store.slice("sqlite:".length);
    return openSqlite(resolve(path), `--store sqlite:${path}`);
  }
  if (/^rediss?:\/\//.test(store)) return openRedis(store, "--store <the same Redis URL>");
  throw new HistoryError(
    "Expected --store to be memory, sqlite:PATH or redis://HOST:PORT. Leave it out for a file in the cache folder.",
    { code: "INVALID_OPTION", details: { option: "store" } },
  );
}

async function openSqlite(path: string, flag: string): Promise<OpenedStore> {
  await mkdir(dirname(path), { recursive: true }).catch((cause: unknown) => {
    throw new HistoryError(
      `Expected a folder for ${path}, and could not make one. Give another path.`,
      { code: "STORE_UNAVAILABLE", details: { path }, cause },
    );
  });
  return opened(sqliteStore({ path, busyTimeoutMs: 30_000 }), "SQLite", `, ${path}`, flag);
}

function opened(
  store: HistoryStore,
  name: string,
  where: string,
  flag: string | undefined,
): OpenedStore {
  return {
    store,
    name,
    location: `${name}${where}`,
    flag,
    [Symbol.asyncDispose]: async () => store.close(),
  };
}
