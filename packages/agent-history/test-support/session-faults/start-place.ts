import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startPostgresServer } from "../../../store-postgres/test-support/servers/start-postgres-server.ts";
import { startCuttingProxy } from "../../../store-redis/test-support/proxies/start-cutting-proxy.ts";
import type { CuttingProxy } from "../../../store-redis/test-support/proxies/start-cutting-proxy.ts";
import { startRedisServer } from "../../../store-redis/test-support/servers/start-redis-server.ts";

/** The stores that clients are broken in. */
export type StoreKind = "sqlite" | "redis" | "postgres";

/** A store of its own, with a proxy that cuts connections where it has a server. */
export interface Place extends AsyncDisposable {
  /** What the clients are given. */
  readonly address: string;
  /** The store without the proxy. */
  readonly direct: string;
  readonly proxy?: CuttingProxy;
}

/** Starts it. */
export async function startPlace(kind: StoreKind): Promise<Place> {
  if (kind === "sqlite") {
    const folder = mkdtempSync(join(tmpdir(), "agent-history-session-"));
    const path = join(folder, "sessions.db");
    const end = async (): Promise<void> => rmSync(folder, { recursive: true });
    return { address: path, direct: path, [Symbol.asyncDispose]: end };
  }
  await using starting = new AsyncDisposableStack();
  const server = starting.use(
    kind === "redis" ? await startRedisServer() : await startPostgresServer(),
  );
  const proxy = starting.use(await startCuttingProxy(server.port));
  const started = starting.move();
  return {
    address: server.url.replace(`:${server.port}`, `:${proxy.port}`),
    direct: server.url,
    proxy,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
