import type { ServerFacts } from "./server-facts.ts";

/** Says in a sentence or two what a crash may cost, with the weakest of the primaries in mind. */
export function describeDurability(servers: readonly ServerFacts[], replicas: number): string {
  const sentences = [localDurability(servers)];
  if (replicas > 0) {
    sentences.push(
      `A write is acknowledged once ${replicas} replica(s) have it; a failover to another replica may still lose it.`,
    );
  } else if (servers.some((server) => server.replicas > 0)) {
    sentences.push(
      "Replicas follow without being waited for: a failover may lose the newest acknowledged writes.",
    );
  }
  return sentences.join(" ");
}

function localDurability(servers: readonly ServerFacts[]): string {
  if (servers.some(({ isAppendOnly }) => !isAppendOnly)) {
    return "No append-only file: a crash of the server loses what was written since its last snapshot, or everything where it makes none.";
  }
  const modes = new Set(servers.map(({ appendFsync }) => appendFsync));
  if (modes.has(undefined)) {
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
