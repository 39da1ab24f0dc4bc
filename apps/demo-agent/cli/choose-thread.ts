import { randomBytes } from "node:crypto";

import { HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

const PREFIX = "demo-";

/**
 * Chooses the thread of a run: the one that was named, else the newest where one is continued, else a new one.
 *
 * @throws `HistoryError` with code `NOT_FOUND` if there is none to continue.
 */
export async function chooseThread(
  { thread, resume }: { readonly thread?: string; readonly resume: boolean },
  store: HistoryStore,
): Promise<string> {
  if (thread !== undefined) {
    if (resume) await requireThread(thread, store);
    return thread;
  }
  // Names of one length, by time: the last in order is the newest.
  const name = `${PREFIX}${Date.now().toString(36)}-${randomBytes(3).toString("hex")}`;
  return resume ? newestThread(store) : name;
}

async function requireThread(thread: string, store: HistoryStore): Promise<void> {
  const { version } = await store.read(thread, { query: { clauses: [{}], maxEntries: 1 } });
  if (version === 0) throw nothingToResume();
}

async function newestThread(store: HistoryStore): Promise<string> {
  let newest = "";
  let cursor: string | undefined;
  do {
    const page = await store.list({ prefix: PREFIX, ...(cursor !== undefined && { cursor }) });
    // A fork has its parent's name before a slash.
    for (const { threadId: id } of page.threads) if (!id.includes("/") && id > newest) newest = id;
    ({ cursor } = page);
  } while (cursor !== undefined);
  if (newest === "") throw nothingToResume();
  return newest;
}

function nothingToResume(): HistoryError {
  return new HistoryError(
    "Expected a thread to resume, found none. Leave out --resume to begin one.",
    { code: "NOT_FOUND", details: { option: "resume" } },
  );
}
