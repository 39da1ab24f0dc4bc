import { HistoryError } from "@agent-history/core";
import type { StoreDescription } from "@agent-history/core";

import { asHistoryError } from "./redis-failure.ts";
import type { RedisLink } from "./redis-link.ts";

/** Configuration of one primary; `"unknown"` for values that it does not report or the user may not read. */
export type ServerFacts = {
  /** For example `7.0.15`. */
  readonly version: string;
  readonly evictionPolicy: string;
  readonly maxMemoryBytes: number | "unknown";
  readonly appendOnly: boolean;
  /** `always`, `everysec` or `no`. */
  readonly appendFsync: string;
  readonly replicas: number;
};

/** The oldest server whose commands the store uses. */
const OLDEST = 6.2;
/** How long a successful check is cached, in milliseconds. */
const BELIEVED_MS = 60_000;

/** Reads the configuration of each primary. */
export async function readServerFacts(
  link: RedisLink,
  signal: AbortSignal | undefined,
): Promise<readonly ServerFacts[]> {
  try {
    const [infos, fsyncs] = await Promise.all([
      link.sendToEach(["INFO"], signal),
      link.sendToEach(["CONFIG", "GET", "appendfsync"], signal).catch(() => []),
    ]);
    return infos.map((info, index) => factsOf(String(info), fsyncs[index]));
  } catch (error) {
    throw asHistoryError(error, "read");
  }
}

function factsOf(info: string, fsync: unknown): ServerFacts {
  const fields = new Map(
    info.split(/\r?\n/u).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
  const maxMemory = fields.get("maxmemory");
  const [, mode]: readonly unknown[] = Array.isArray(fsync) ? fsync : [];
  return {
    version: fields.get("redis_version") ?? "unknown",
    evictionPolicy: fields.get("maxmemory_policy") ?? "unknown",
    maxMemoryBytes: maxMemory === undefined ? "unknown" : Number(maxMemory),
    appendOnly: fields.get("aof_enabled") === "1",
    appendFsync: typeof mode === "string" ? mode : "unknown",
    replicas: Number(fields.get("connected_slaves") ?? 0),
  };
}

/** Makes a check that queries the servers at the first call, then at most once a minute. */
export function serverCheck(
  link: RedisLink,
  allowEviction: boolean,
): (call: { readonly signal?: AbortSignal | undefined } | undefined) => Promise<void> {
  let askedMs = -Infinity;
  return async (call) => {
    if (performance.now() - askedMs < BELIEVED_MS) return;
    requireSoundServers(await readServerFacts(link, call?.signal), allowEviction);
    askedMs = performance.now();
  };
}

/** Throws if a server is too old, or may evict history to free memory. */
function requireSoundServers(servers: readonly ServerFacts[], allowEviction: boolean): void {
  for (const { version, evictionPolicy } of servers) {
    if (Number.parseFloat(version) < OLDEST) {
      throw new HistoryError(`Expected a server of version ${OLDEST} or newer, got ${version}.`, {
        code: "STORE_MISCONFIGURED",
        details: { reason: "version", version },
      });
    }
    if (!["noeviction", "unknown"].includes(evictionPolicy) && !allowEviction) {
      throw new HistoryError(
        `Expected the server's maxmemory-policy to be noeviction, got ${evictionPolicy}: it deletes keys of live threads when memory is short. Change it, or pass \`allowEviction: true\`.`,
        { code: "STORE_MISCONFIGURED", details: { reason: "eviction", policy: evictionPolicy } },
      );
    }
  }
}

/** Describes the store and which writes a crash may lose, for the least durable of the primaries. */
export function describeServers(
  servers: readonly ServerFacts[],
  { namespace, replicas }: { readonly namespace: string; readonly replicas: number },
): StoreDescription {
  const durability = [localDurability(servers)];
  if (replicas > 0) {
    durability.push(
      `A write is acknowledged once ${replicas} replica(s) have it; a failover to another replica may still lose it.`,
    );
  } else if (servers.some((server) => server.replicas > 0)) {
    durability.push(
      "Replicas follow without being waited for: a failover may lose the newest acknowledged writes.",
    );
  }
  return {
    kind: "redis",
    durability: durability.join(" "),
    details: { namespace, replicas, servers },
  };
}

function localDurability(servers: readonly ServerFacts[]): string {
  if (servers.some(({ appendOnly }) => !appendOnly)) {
    return "No append-only file: a crash of the server loses what was written since its last snapshot, or everything if it makes none.";
  }
  const modes = new Set(servers.map(({ appendFsync }) => appendFsync));
  if (modes.has("unknown")) {
    return "An append-only file, of which the server does not tell how often it is synced: a loss of power may cost the newest writes.";
  }
  if (modes.has("no")) {
    return "An append-only file that the operating system syncs: a loss of power may cost the writes of about 30 seconds.";
  }
  if (modes.has("everysec")) {
    return "An append-only file, synced every second: a crash of the server process and a loss of power may each cost the acknowledged writes of up to two seconds.";
  }
  return "An append-only file, synced before each answer: a crash or a loss of power costs nothing that was acknowledged by this server.";
}
