import type { OpenClient } from "./open-client.ts";

/** Names the keys of a server that match a pattern. */
export async function keysOf(admin: OpenClient, pattern: string): Promise<string[]> {
  const keys = await admin.send(["KEYS", pattern]);
  return Array.isArray(keys) ? keys.map(String).toSorted() : [];
}

/** Reads all that keys hold, by key; without the order of fields, which a hash does not keep. */
export async function contentsOf(
  admin: OpenClient,
  pattern: string,
): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const key of await keysOf(admin, pattern)) {
    const type = String(await admin.send(["TYPE", key]));
    const command = READ.get(type) ?? [];
    const value = await admin.send([command[0] ?? "GET", key, ...command.slice(1)]);
    found.set(key, type === "hash" ? { ...Object(value) } : value);
  }
  return found;
}

const READ: ReadonlyMap<string, readonly string[]> = new Map([
  ["string", ["GET"]],
  ["hash", ["HGETALL"]],
  ["stream", ["XRANGE", "-", "+"]],
]);
