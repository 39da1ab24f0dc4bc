import { HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

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
 * `listSessions` reads the newest line of each session.
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
      const threads = await threadsOf(store, projectPrefix(projectKey));
      return sessionTimes(
        store,
        threads.filter((threadId) => partsOfThread(threadId).subpath === ""),
      );
    },
    listSubkeys: async (key) => {
      const threads = await threadsOf(store, sessionPrefix(key));
      return threads.flatMap((threadId) => partsOfThread(threadId).subpath || []);
    },
    delete: async (key) => {
      const threadId = sessionThread(key);
      const subagents = key.subpath === undefined ? await threadsOf(store, threadId) : [];
      for (const one of new Set([threadId, ...subagents])) await store.delete(one);
    },
  };
}

async function threadsOf(store: HistoryStore, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ prefix, ...(cursor !== undefined && { cursor }) });
    for (const { threadId } of page.threads) found.push(threadId);
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

const PREFIX = "claude-session";

/**
 * Returns the thread id of a transcript.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a part of the key is empty or not a string.
 */
function sessionThread({ projectKey, sessionId, subpath }: ClaudeSessionKey): string {
  const part = subpath === undefined ? "" : encoded("subpath", subpath);
  return `${sessionPrefix({ projectKey, sessionId })}${part}`;
}

/** Prefix of the thread ids of a project. */
function projectPrefix(projectKey: string): string {
  return `${PREFIX}:${encoded("projectKey", projectKey)}:`;
}

/** Prefix of the thread ids of a session; the session's own thread id is the prefix itself. */
function sessionPrefix({ projectKey, sessionId }: ClaudeSessionKey): string {
  return `${projectPrefix(projectKey)}${encoded("sessionId", sessionId)}:`;
}

/** Returns the session of a thread, and its subagent. */
function partsOfThread(threadId: string): {
  readonly sessionId: string;
  readonly subpath: string;
} {
  const [, , sessionId = "", subpath = ""] = threadId.split(":").map(decodeURIComponent);
  return { sessionId, subpath };
}

function encoded(option: string, part: unknown): string {
  if (typeof part === "string" && part !== "" && !/\p{Surrogate}/u.test(part)) {
    return encodeURIComponent(part);
  }
  throw new HistoryError(`Expected \`${option}\` of a session to be a text.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}

const AT_ONCE = 20;

/** Returns when each session was last written; sessions that were deleted meanwhile are omitted. */
async function sessionTimes(
  store: HistoryStore,
  threads: readonly string[],
): Promise<{ sessionId: string; mtime: number }[]> {
  const times: { sessionId: string; mtime: number }[] = [];
  for (let from = 0; from < threads.length; from += AT_ONCE) {
    const some = threads.slice(from, from + AT_ONCE);
    const found = await Promise.all(some.map((threadId) => lastWrite(store, threadId)));
    for (const [index, mtime] of found.entries()) {
      const { sessionId } = partsOfThread(some[index] ?? "");
      if (mtime !== undefined) times.push({ sessionId, mtime });
    }
  }
  return times;
}

async function lastWrite(store: HistoryStore, threadId: string): Promise<number | undefined> {
  const query = { clauses: [{}], maxEntries: 1 };
  try {
    const { entries } = await store.read(threadId, { query, originals: true });
    return entries.at(-1)?.createdAtMs;
  } catch (error) {
    if (isHistoryError(error, "THREAD_DELETED")) return undefined;
    throw error;
  }
}

/** Runs work with the same key one at a time, in call order; a failure does not affect later work. */
function inTurnByKey(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
