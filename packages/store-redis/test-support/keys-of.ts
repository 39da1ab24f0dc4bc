import type { OpenClient } from "./open-client.ts";

/** Lists the keys of a server that match a pattern. */
export async function keysOf(admin: OpenClient, pattern: string): Promise<string[]> {
  const keys = await admin.send(["KEYS", pattern]);
  return Array.isArray(keys) ? keys.map(String).toSorted() : [];
}
