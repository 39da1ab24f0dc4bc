import { HistoryError } from "@agent-history/core";

import type { ServerFacts } from "./server-facts.ts";

/** The oldest server whose commands the store uses. */
const OLDEST = "6.2";

/** Refuses a server that is too old, or that may delete history to make room. */
export function requireSoundServer(
  servers: readonly ServerFacts[],
  { allowEviction }: { readonly allowEviction: boolean },
): void {
  for (const { version, evictionPolicy = "noeviction" } of servers) {
    if (version !== undefined && isOlder(version)) {
      throw new HistoryError(`Expected a server of version ${OLDEST} or newer, got ${version}.`, {
        code: "STORE_MISCONFIGURED",
        details: { reason: "version", version },
      });
    }
    if (evictionPolicy !== "noeviction" && !allowEviction) {
      throw new HistoryError(
        `Expected the server's maxmemory-policy to be noeviction, got ${evictionPolicy}: it deletes keys of live threads when memory is short. Change it, or say \`allowEviction: true\`.`,
        { code: "STORE_MISCONFIGURED", details: { reason: "eviction", policy: evictionPolicy } },
      );
    }
  }
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split(".").map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
