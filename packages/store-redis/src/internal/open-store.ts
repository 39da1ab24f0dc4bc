import { countOption, HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import type { RedisStoreOptions } from "../redis-store-options.ts";
import { appendVerb } from "./append-verb.ts";
import { compactionVerbs } from "./compaction-verbs.ts";
import { deleteVerb } from "./delete-verb.ts";
import { forkVerb } from "./fork-verb.ts";
import { inspectVerbs } from "./inspect-verbs.ts";
import { nothingKnown } from "./known-threads.ts";
import { metadataVerbs } from "./metadata-verbs.ts";
import { newestIndex } from "./newest-index.ts";
import { withDeadline } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { readEnds } from "./read-ahead.ts";
import { readVerb, summariesVerb } from "./read-verb.ts";
import { redisLink } from "./redis-link.ts";
import { replaceVerb } from "./replace-verb.ts";
import { requireSoundServer } from "./require-sound-server.ts";
import { ROW_LIMITS } from "./row-text.ts";
import { readServerFacts } from "./server-facts.ts";
import type { ShortLimits } from "./short-thread.ts";
import { stateVerbs } from "./state-verbs.ts";
import type { StoreContext } from "./store-context.ts";
import { threadIndex } from "./thread-index.ts";
import { verifyVerbs } from "./verify-verbs.ts";

/**
 * Makes a store.
 *
 * @param shortLimits - Until when a thread is short. Tests have it move to its log early.
 */
export function openStore(
  options: RedisStoreOptions,
  shortLimits: ShortLimits = { entries: ROW_LIMITS.entries, length: ROW_LIMITS.bytes },
): HistoryStore {
  let closed = false;
  const context = contextOf(options, shortLimits, () => closed);
  const { append, idle } = appendVerb(context);
  return {
    append,
    read: readVerb(context),
    listSummaries: summariesVerb(context),
    replaceSuffix: replaceVerb(context),
    ...compactionVerbs(context),
    ...stateVerbs(context),
    fork: forkVerb(context),
    delete: deleteVerb(context),
    ...inspectVerbs(context),
    ...metadataVerbs(context),
    ...verifyVerbs(context),
    close: async () => {
      closed = true;
      await idle();
      await context.newest.idle();
    },
  };
}

function contextOf(
  options: RedisStoreOptions,
  shortLimits: ShortLimits,
  isClosed: () => boolean,
): StoreContext {
  const { client, namespace, ttlMs, allowEviction = false } = options;
  if (typeof namespace !== "string" || namespace === "") {
    throw invalidOption("namespace", "a text of one character or more");
  }
  if (typeof client?.sendCommand !== "function") {
    throw invalidOption("client", "a client of the package `redis`, version 5 or 6");
  }
  const timeoutMs = positive("timeoutMs", options.timeoutMs ?? 5000);
  const size = positive("rememberedThreads", options.rememberedThreads ?? 10_000);
  const link = redisLink(client);
  return {
    link,
    namespace,
    timeoutMs,
    ttlMs: ttlMs === undefined || ttlMs === Infinity ? undefined : positive("ttlMs", ttlMs),
    replicas: finite("replicas", options.replicas ?? 0),
    shortLimits,
    newId: options.newId ?? (() => crypto.randomUUID()),
    known: nothingKnown(size),
    ends: readEnds(size),
    index: threadIndex(link, namespace, size),
    newest: newestIndex(link, namespace, { size, timeoutMs }),
    isClosed,
    requireServer: fromTimeToTime(async () => {
      const look = (operation: Operation) => readServerFacts(link, operation);
      requireSoundServer(await withDeadline({ timeoutMs }, look), { allowEviction });
    }),
  };
}

/** How long a server is trusted to be as it was found, in milliseconds: its settings can be changed while it runs. */
const TRUSTED_MS = 60_000;

/** Looks for all calls, the first time and then once a minute; again where the look failed. */
function fromTimeToTime(look: () => Promise<void>): StoreContext["requireServer"] {
  let looked: Promise<void> | undefined;
  let lookedAtMs = -Infinity;
  const lookOnce = (): Promise<void> => {
    const now = performance.now();
    if (now - lookedAtMs > TRUSTED_MS) {
      looked = undefined;
      lookedAtMs = now;
    }
    looked ??= look().catch((error: unknown) => {
      looked = undefined;
      throw error;
    });
    return looked;
  };
  return (operation) => operation.read(lookOnce);
}

function positive(name: string, value: unknown): number {
  const count = countOption(name, value);
  if (count > 0) return count;
  throw invalidOption(name, "1 or more");
}

function finite(name: string, value: unknown): number {
  const count = countOption(name, value);
  if (count < Infinity) return count;
  throw invalidOption(name, "a number that is reached");
}

function invalidOption(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
