import { HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryStore, ThreadMetadata } from "@agent-history/core";

import { appendLines, linesOfEntries } from "./internal/session-lines.ts";
import type { ClaudeSessionLine } from "./internal/session-lines.ts";

/** Ids and time of stored entries. */
export interface ClaudeSessionStoreOptions {
  /** Returns the id of a line that has no `uuid`. Default: UUIDs of version 7. */
  readonly newId?: (() => string) | undefined;
  readonly now?: (() => number) | undefined;
}

/** A `SessionStore` of the Claude Agent SDK. */
export interface ClaudeSessionStore {
  append(key: ClaudeSessionKey, lines: readonly ClaudeSessionLine[]): Promise<void>;
  load(key: ClaudeSessionKey): Promise<ClaudeSessionLine[] | null>;
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  listSubkeys(key: { readonly projectKey: string; readonly sessionId: string }): Promise<string[]>;
  delete(key: ClaudeSessionKey): Promise<void>;
}

/**
 * Stores the transcripts of the Claude Agent SDK in any store: pass it as `sessionStore` of `query()` to resume a session on any machine.
 *
 * Each transcript is a thread with one `opaque` entry per line. A line with a `uuid` is stored once, however often it is appended; so is a line without one
 * if a failed append is retried with the same objects. Appends to one transcript are written in call order.
 * Lines may have any length. Deletion is permanent: appending to the transcript of a deleted session fails with `THREAD_DELETED`.
 *
 * `listSessions` has the time of each session's last change, by the store's clock.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` without a store. The methods reject with the store's errors, with `INVALID_OPTION` for an empty part of a key, and `load` with `THREAD_CORRUPT` if a line
 * is unreadable.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@agent-history/store-kit";
 * import { claudeSessionStore } from "@agent-history/anthropic";
 *
 * const sessionStore = claudeSessionStore(memoryStore());
 * // query({ prompt, options: { sessionStore, resume: sessionId } })
 * const key = { projectKey: "shop", sessionId: "3f2a" };
 * await sessionStore.append(key, [{ type: "user", uuid: "u1", message: "Hello." }]);
 * await sessionStore.load(key);
 * // => [{ type: "user", uuid: "u1", message: "Hello." }]
 * ```
 */
export function claudeSessionStore(
  store: HistoryStore,
  { newId, now }: ClaudeSessionStoreOptions = {},
): ClaudeSessionStore {
  if (typeof store?.append !== "function") {
    throw new HistoryError("Expected a store, such as memoryStore().", {
      code: "INVALID_OPTION",
      details: { option: "store" },
    });
  }
  const sources = { ...(newId && { newId }), ...(now && { now }) };
  const inTurn = inTurnByKey();
  const append = appendLines(store, sources);
  return {
    append: async (key, lines) => {
      const threadId = sessionThread(key);
      if (lines.length > 0) await inTurn(threadId, () => append(threadId, lines));
    },
    load: async (key) => {
      const threadId = sessionThread(key);
      try {
        const { entries, problems, version } = await store.read(threadId, { originals: true });
        const [problem] = problems;
        if (problem === undefined) return version === 0 ? null : linesOfEntries(entries);
        throw new HistoryError(`${problems.length} lines of the session cannot be read.`, {
          code: "THREAD_CORRUPT",
          details: { count: problems.length },
        });
      } catch (error) {
        if (isHistoryError(error, "THREAD_DELETED")) return null;
        throw error;
      }
    },
    listSessions: async (projectKey) => {
      const threads = await threadsOf(store, `${threadOf({ projectKey })}:`);
      return threads.flatMap(({ threadId, updatedAtMs: mtime }) => {
        const [sessionId, subpath] = partsOf(threadId);
        return subpath === "" ? { sessionId, mtime } : [];
      });
    },
    listSubkeys: async (key) => {
      const threads = await threadsOf(store, sessionThread(key));
      return threads.flatMap(({ threadId }) => partsOf(threadId)[1] || []);
    },
    delete: async (key) => {
      const threadId = sessionThread(key);
      const subagents = key.subpath === undefined ? await threadsOf(store, threadId) : [];
      const all = [threadId, ...subagents.map((one) => one.threadId)];
      for (const one of new Set(all)) await store.delete(one);
    },
  };
}

async function threadsOf(store: HistoryStore, prefix: string): Promise<readonly ThreadMetadata[]> {
  const found: ThreadMetadata[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ prefix, ...(cursor !== undefined && { cursor }) });
    for (const thread of page.threads) found.push(thread);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return found;
}

/** Identifies the transcript of a session, or with `subpath` of one of its subagents. */
export interface ClaudeSessionKey {
  readonly projectKey: string;
  readonly sessionId: string;
  readonly subpath?: string;
}

/**
 * Returns the thread id of a transcript; that of a session is the prefix of those of its subagents.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a part of the key is empty or not a string.
 */
function sessionThread({ projectKey, sessionId, subpath }: ClaudeSessionKey): string {
  return `${threadOf({ projectKey, sessionId })}:${subpath === undefined ? "" : encoded("subpath", subpath)}`;
}

function threadOf(key: { readonly projectKey: string; readonly sessionId?: string }): string {
  return ["claude-session", ...Object.entries(key).map(([name, part]) => encoded(name, part))].join(
    ":",
  );
}

/** Returns the session of a thread, and its subagent. */
function partsOf(threadId: string): readonly [sessionId: string, subpath: string] {
  const [, , sessionId = "", subpath = ""] = threadId.split(":").map(decodeURIComponent);
  return [sessionId, subpath];
}

function encoded(option: string, part: unknown): string {
  if (typeof part === "string" && part !== "" && !/\p{Surrogate}/u.test(part)) {
    return encodeURIComponent(part);
  }
  throw new HistoryError(`Expected \`${option}\` of a session to be a string.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}

/** Runs work with the same key one at a time, in call order; a failure does not affect later work. */
function inTurnByKey(): (key: string, work: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).catch(() => undefined).then(work);
    last.set(key, mine);
    try {
      await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
