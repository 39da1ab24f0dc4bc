import { HistoryError, MAX_ENTRY_BYTES } from "@agent-history/core";
import type {
  HistoryStore,
  JsonValue,
  MetadataChange,
  StateItem,
  ThreadMetadata,
} from "@agent-history/core";
import { findNonJson, requireMetadata } from "@agent-history/core/schema";

import { metadataOf, revisionConflict } from "./head.ts";
import { utf8Bytes } from "./prepare-batch.ts";
import { beginHead, knowThread, writeThread } from "./thread-access.ts";
import type { Call, Decision, Known, ThreadAccess } from "./thread-access.ts";

/** Reads one value of state. */
export async function getState(
  access: ThreadAccess,
  threadId: string,
  key: string,
  { signal }: Call = {},
): ReturnType<HistoryStore["getState"]> {
  const ask = { kind: "items", of: "s", keys: [key] } as const;
  const { answers } = await knowThread(access, threadId, [ask], signal);
  return stateIn(answers[0]?.items.get(key));
}

/** Writes or removes one value of state. */
export async function setState(
  access: ThreadAccess,
  threadId: string,
  key: string,
  value: JsonValue | undefined,
  options: Call & { readonly expectedRevision: number },
): Promise<{ readonly revision: number }> {
  const { expectedRevision, signal } = options;
  const json = value === undefined ? undefined : stateJson(value);
  return writeThread<{ readonly revision: number }>(
    access,
    threadId,
    {
      asks: [{ kind: "items", of: "s", keys: [key] }],
      isRecognized: false,
      decide: ({ head: known, answers: [items] }) => {
        const actual = stateIn(items?.items.get(key))?.revision ?? 0;
        if (actual !== expectedRevision)
          throw revisionConflict("revision", expectedRevision, actual);
        if (json === undefined) {
          if (known === undefined || actual === 0) return { result: { revision: 0 } };
          const head = { ...known, removed: Math.max(known.removed, actual) };
          return { result: { revision: 0 }, change: { head, drop: [["s", key]] } };
        }
        const head = known ?? beginHead(access);
        const revision = (actual === 0 ? head.removed : actual) + 1;
        return { result: { revision }, change: { head, put: [["s", key, `${revision} ${json}`]] } };
      },
    },
    signal,
  );
}

/** Lists state in the order of its keys. */
export async function listState(
  access: ThreadAccess,
  threadId: string,
  options: NonNullable<Parameters<HistoryStore["listState"]>[1]> = {},
): ReturnType<HistoryStore["listState"]> {
  const { prefix = "", cursor, limit = 100, signal } = options;
  const known = await knowThread(access, threadId, [{ kind: "keys", of: "s" }], signal);
  const keys = [...(known.answers[0]?.items.keys() ?? [])]
    .filter((key) => key.startsWith(prefix) && (cursor === undefined || `:${key}` > cursor))
    .toSorted();
  const page = keys.slice(0, limit);
  const ask = { kind: "items", of: "s", keys: page } as const;
  const { answers } = await knowThread(access, threadId, [ask], signal);
  const items = page.flatMap((key): readonly StateItem[] => {
    const found = stateIn(answers[0]?.items.get(key));
    return found === undefined ? [] : [{ key, ...found }];
  });
  const last = page.at(-1);
  return keys.length > page.length && last !== undefined
    ? { items, cursor: `:${last}` }
    : { items };
}

/** Reads an item of state: its revision and its JSON. */
export function stateIn(
  text: string | undefined,
): { readonly value: JsonValue; readonly revision: number } | undefined {
  if (text === undefined) return undefined;
  const end = text.indexOf(" ");
  const revision = Number(text.slice(0, end));
  try {
    const value: JsonValue = JSON.parse(text.slice(end + 1));
    if (end > 0 && Number.isSafeInteger(revision)) return { value, revision };
  } catch {
    // The engine's own error would quote the text.
  }
  throw new HistoryError(
    "Expected a value of state to be what this package writes. Restore it from a backup, or delete the thread.",
    { code: "THREAD_CORRUPT", details: { reason: "state" } },
  );
}

function stateJson(value: JsonValue): string {
  const found = findNonJson(value);
  if (found !== undefined) {
    throw new HistoryError(
      `Expected a value of state to be JSON; got ${found.kind}. Nothing was written.`,
      { code: "INVALID_OPTION", details: { option: "value", path: found.path } },
    );
  }
  const json = JSON.stringify(value);
  const actual = utf8Bytes(json);
  if (actual <= MAX_ENTRY_BYTES) return json;
  throw new HistoryError(
    `Expected at most ${MAX_ENTRY_BYTES} bytes in a value of state, got ${actual}. Nothing was written. Store large values in a file.`,
    { code: "TOO_LARGE", details: { limit: MAX_ENTRY_BYTES, actual } },
  );
}

/** Reads what a list shows of a thread. */
export async function getMetadata(
  access: ThreadAccess,
  threadId: string,
  { signal }: Call = {},
): Promise<ThreadMetadata | undefined> {
  const { head } = await knowThread(access, threadId, [], signal);
  return head && metadataOf(threadId, head);
}

/** Changes what a list shows of a thread. */
export async function setMetadata(
  access: ThreadAccess,
  threadId: string,
  change: MetadataChange,
  { signal }: Call = {},
): Promise<ThreadMetadata> {
  const about = requireMetadata(change);
  const decide = ({ head = beginHead(access) }: Known): Decision<ThreadMetadata> => {
    const updatedAtMs = Math.max(head.updatedAtMs, access.now());
    const next = { ...head, about: { ...head.about, ...about }, updatedAtMs };
    return { result: metadataOf(threadId, next), change: { head: next } };
  };
  return writeThread(access, threadId, { asks: [], decide, isRecognized: true }, signal);
}
