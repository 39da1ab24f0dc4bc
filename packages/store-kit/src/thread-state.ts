import { MAX_ENTRY_BYTES } from "@agent-history/core";
import type { JsonValue, StateItem, ThreadMetadata } from "@agent-history/core";
import { findNonJson, requireMetadata } from "@agent-history/core/schema";

import { utf8Bytes } from "./append-entries.ts";
import type { Item } from "./driver.ts";
import { metadataOf } from "./head.ts";
import { corrupt, invalidOption, jsonIn, conflict, tooLarge } from "./store-errors.ts";
import { beginHead, know, look, writeThread } from "./thread-access.ts";
import type { ThreadVerb } from "./thread-access.ts";

/** A state value and its revision. */
type State = Omit<StateItem, "key">;

/** Reads one state value. */
export const getState: ThreadVerb<"getState"> = async (thread, key) => {
  const { answers } = await know(thread, [{ kind: "items", of: "s", keys: [key] }]);
  return stateIn(answers[0]?.items.get(key));
};

/** Writes or removes one state value. */
export const setState: ThreadVerb<"setState"> = async (
  thread,
  key,
  value,
  { expectedRevision },
) => {
  const json = value === undefined ? undefined : stateJson(value);
  const asks = [{ kind: "items", of: "s", keys: [key] }] as const;
  return writeThread(thread, asks, ({ head: known, answers }) => {
    const actual = stateIn(answers[0]?.items.get(key))?.revision ?? 0;
    if (actual !== expectedRevision) throw conflict("the revision", expectedRevision, actual);
    if (json === undefined) {
      if (known === undefined || actual === 0) return { result: { revision: 0 } };
      const head = { ...known, removed: Math.max(known.removed, actual) };
      return { result: { revision: 0 }, change: { head, drop: [["s", key]] } };
    }
    const head = known ?? beginHead(thread);
    const revision = (actual === 0 ? head.removed : actual) + 1;
    return { result: { revision }, change: { head, put: [["s", key, `${revision} ${json}`]] } };
  });
};

/** Lists state values, sorted by key. */
export const listState: ThreadVerb<"listState"> = async (
  thread,
  { prefix = "", cursor, limit = 100 } = {},
) => {
  const known = await know(thread, [{ kind: "keys", of: "s" }]);
  const keys = [...(known.answers[0]?.items.keys() ?? [])]
    .filter((key) => key.startsWith(prefix) && (cursor === undefined || `:${key}` > cursor))
    .toSorted();
  const page = keys.slice(0, limit);
  const { answers } = await know(thread, [{ kind: "items", of: "s", keys: page }]);
  const items = page.flatMap((key): readonly StateItem[] => {
    const found = stateIn(answers[0]?.items.get(key));
    return found === undefined ? [] : [{ key, ...found }];
  });
  const last = page.at(-1);
  const isMore = keys.length > page.length && last !== undefined;
  return isMore ? { items, cursor: `:${last}` } : { items };
};

/** Parses a state item: its revision, then its JSON. */
export function stateIn(text: string | undefined): State | undefined {
  if (text === undefined) return undefined;
  const end = text.indexOf(" ");
  const revision = Number(text.slice(0, end));
  const value = jsonIn(text.slice(end + 1));
  if (value !== undefined && end > 0 && Number.isSafeInteger(revision)) return { value, revision };
  throw corrupt("a value of state", { reason: "state" });
}

function stateJson(value: JsonValue): string {
  const found = findNonJson(value);
  if (found !== undefined) {
    throw invalidOption(
      "value",
      `Expected a value of state to be JSON; got ${found.kind}. Nothing was written.`,
      found.path,
    );
  }
  const json = JSON.stringify(value);
  const actual = utf8Bytes(json);
  if (actual <= MAX_ENTRY_BYTES) return json;
  throw tooLarge("bytes in a value of state", MAX_ENTRY_BYTES, actual);
}

/** Reads the metadata of a thread. */
export const getMetadata: ThreadVerb<"getMetadata"> = async (thread) => {
  const { head } = await know(thread);
  return head && metadataOf(thread.threadId, head);
};

/** Changes the metadata of a thread. If a driver encrypts by user, another user gets all content written again. */
export const setMetadata: ThreadVerb<"setMetadata"> = async (thread, change) => {
  const about = requireMetadata(change);
  return writeThread<ThreadMetadata>(thread, [], async ({ head = beginHead(thread) }) => {
    const updatedAtMs = Math.max(head.updatedAtMs, thread.now());
    const next = { ...head, about: { ...head.about, ...about }, updatedAtMs };
    const result = metadataOf(thread.threadId, next);
    if (head.keyName === undefined || next.about.user === head.about.user)
      return { result, change: { head: next } };
    const { keyName: _, ...moved } = next;
    const { answers } = await look(thread, [
      { kind: "rows", from: 0, to: Number.MAX_SAFE_INTEGER, limit: Infinity },
      { kind: "items", of: "o" },
      { kind: "items", of: "s" },
    ]);
    const [log, summaries, states] = answers;
    const put: Item[] = [];
    for (const [key, value] of summaries?.items ?? []) put.push(["o", key, value]);
    for (const [key, value] of states?.items ?? []) put.push(["s", key, value]);
    return { result, change: { head: moved, rewrite: log?.rows ?? [], put } };
  });
};
