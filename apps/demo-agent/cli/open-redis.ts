import { HistoryError } from "@agent-history/core";
import { redisStore } from "@agent-history/store-redis";

import type { OpenedStore } from "./open-store.ts";

const NAMESPACE = "agent-history-demo";
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects to a Redis server.
 *
 * @throws `HistoryError` with code `STORE_UNAVAILABLE` if it does not answer or lets nobody in, `INVALID_OPTION` where the URL is none. No
 * message holds the password.
 */
export async function openRedis(url: string, flag: string): Promise<OpenedStore> {
  const host = hostOf(url);
  // Loaded only where it is asked for.
  const { createClient } = await import("redis");
  let isConnected = false;
  let refusal: Error | undefined;
  const client = createClient({
    url,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Once it was there it may come back; the store says when it gives up.
      reconnectStrategy: (tries, cause) => {
        refusal = cause;
        return isConnected ? Math.min(tries * 50, 1_000) : cause;
      },
    },
  });
  // Each call says for itself what became of it.
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (cause) {
    throw new HistoryError(
      `Expected a Redis server at ${host}, and could not connect (${reasonOf(refusal ?? cause)}). Start it, or choose another place: --store sqlite:PATH.`,
      { code: "STORE_UNAVAILABLE", details: { host }, cause },
    );
  }
  isConnected = true;
  const store = redisStore({ client, namespace: NAMESPACE });
  return {
    store,
    name: "Redis",
    location: `Redis, ${host}`,
    flag,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      client.destroy();
    },
  };
}

function hostOf(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  throw new HistoryError("Expected a Redis URL such as redis://127.0.0.1:6379.", {
    code: "INVALID_OPTION",
    details: { option: "store" },
  });
}

/** The code of an error, or its first word, which is Redis's own code; never more, as it may quote what was sent. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown";
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  const [word = ""] = cause.message.split(" ");
  return /^[A-Z]{4,}$/.test(word) ? word : cause.name;
}
