import type { JsonObject } from "@agent-history/core";

import type { Operation } from "./operation.ts";
import type { RedisLink } from "./redis-link.ts";
import { pairsOf, textOf } from "./reply.ts";

/** What one primary says of itself. */
export interface ServerFacts {
  /** For example `7.0.15`; undefined where the server does not tell. */
  readonly version: string | undefined;
  readonly evictionPolicy: string | undefined;
  readonly maxMemoryBytes: number | undefined;
  readonly isAppendOnly: boolean;
  /** `always`, `everysec` or `no`; undefined where the user may not ask. */
  readonly appendFsync: string | undefined;
  readonly replicas: number;
}

/** Asks each primary for its facts. */
export function readServerFacts(
  link: RedisLink,
  operation: Operation,
): Promise<readonly ServerFacts[]> {
  return operation.read(async (signal) => {
    const [infos, fsyncs] = await Promise.all([
      link.sendToEach(["INFO"], signal),
      link.sendToEach(["CONFIG", "GET", "appendfsync"], signal).catch(() => []),
    ]);
    return infos.map((info, index) => factsOf(textOf(info) ?? "", fsyncs[index]));
  });
}

function factsOf(info: string, fsync: unknown): ServerFacts {
  const fields = new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
  const maxMemory = fields.get("maxmemory");
  return {
    version: fields.get("redis_version"),
    evictionPolicy: fields.get("maxmemory_policy"),
    maxMemoryBytes: maxMemory === undefined ? undefined : Number(maxMemory),
    isAppendOnly: fields.get("aof_enabled") === "1",
    appendFsync: new Map(pairsOf(fsync)).get("appendfsync"),
    replicas: Number(fields.get("connected_slaves") ?? 0),
  };
}

/** Returns facts as JSON, for `describe`. */
export function factsAsJson(facts: ServerFacts): JsonObject {
  return {
    version: facts.version ?? "unknown",
    evictionPolicy: facts.evictionPolicy ?? "unknown",
    maxMemoryBytes: facts.maxMemoryBytes ?? "unknown",
    appendOnly: facts.isAppendOnly,
    appendFsync: facts.appendFsync ?? "unknown",
    replicas: facts.replicas,
  };
}
