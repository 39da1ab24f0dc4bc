import { HistoryError, isHistoryError } from "@agent-history/core";

import { cipherOf } from "./cipher.ts";
import type { Cipher, EncryptionKey } from "./cipher.ts";
import type { Answer, Ask, Change, Item, Row, ThreadDriver } from "./driver.ts";
import { GRAVES } from "./head.ts";
import type { Sealed } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import { jsonIn, keyDestroyed } from "./store-errors.ts";
import { erasedRow } from "./stored-log.ts";

export type { EncryptionKey } from "./cipher.ts";

/** Source of the threads' keys, e.g. a key service or a table of your own. Do not store the keys beside the data. */
export interface EncryptionKeys {
  /**
   * Returns the name of a thread's key, e.g. the id of the user or tenant. The name is stored unencrypted. Called when a thread begins, and when its user changes: the same write encrypts the
   * whole thread with the new key.
   */
  readonly of: (thread: {
    readonly threadId: string;
    readonly user: string | undefined;
  }) => string | Promise<string>;
  /**
   * Returns the versions of a key, oldest first; new writes use the last one. Returns `"destroyed"` if the key was permanently destroyed, `undefined` if it cannot be found now. Called at each
   * read and write: cache fetched keys.
   */
  readonly get: (
    name: string,
  ) =>
    | readonly EncryptionKey[]
    | "destroyed"
    | undefined
    | Promise<readonly EncryptionKey[] | "destroyed" | undefined>;
}

/** Options of `encryptedDriver`. */
export interface EncryptionOptions {
  readonly keys: EncryptionKeys;
  /** Random bytes, 32 or more. With it, the engine indexes threads by a keyed hash (HMAC) of their user. Default: by the user, unencrypted. */
  readonly userKey?: Uint8Array | undefined;
}

/**
 * Encrypts what a driver stores (AES-256-GCM, on Node and on edge runtimes): entries with their counts, summaries, state, titles, users, tags and holds. Not encrypted: thread names, ids of entries, turns,
 * tasks and agents, state keys, positions, lengths and times.
 *
 * Each text is bound to its thread, place and kind: it cannot be decrypted anywhere else. A row that cannot be decrypted is reported in `problems`, as any damaged row.
 *
 * Refuses threads that were stored without encryption; export them and import them into the encrypted store.
 *
 * @throws `HistoryError` from each method: with code `KEY_UNAVAILABLE` if a key is missing or wrong (nothing was read or written); `KEY_DESTROYED` for a write to a thread whose key was
 * destroyed. Reads of such a thread are empty and return `sealed: "destroyed"`.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 * import { memoryStore } from "@agent-history/store-kit";
 * import { encryptedDriver } from "@agent-history/store-kit/encryption";
 *
 * const key = crypto.getRandomValues(new Uint8Array(32));
 * const keys = { of: () => "everybody", get: () => [key] };
 * const store = memoryStore({ wrapDriver: (driver) => encryptedDriver(driver, { keys }) });
 * await store.append("thread-1", [userMessage({ id: "u1", content: "Hello" })]);
 * (await store.read("thread-1")).entries.length;
 * // => 1
 * ```
 */
export function encryptedDriver(
  driver: ThreadDriver,
  { keys, userKey }: EncryptionOptions,
): ThreadDriver {
  const hashed = async (user: string): Promise<string> =>
    userKey === undefined ? user : (await keyedHash(userKey))(user);
  return {
    ...driver,
    keyName: async (threadId, user) => keys.of({ threadId, user }),
    read: async (thread, asks, call) => {
      const read = await driver.read(thread, asks, call);
      if (thread === GRAVES || read.head === undefined) return read;
      const { head, secret } = await openHead(keys, thread, read.head);
      const answers = await Promise.all(
        asks.map(async (ask, nth) => openAnswer(secret, thread, ask, read.answers[nth] ?? NOTHING)),
      );
      return { ...read, head, answers };
    },
    commit: async (thread, change, call) => {
      if (thread === GRAVES) return driver.commit(thread, change, call);
      if (change.gone === true) return driver.commit(thread, { ...change, head: "{}" }, call);
      const { listed, ...own } = change;
      const sent = await sealedChange(keys, thread, own);
      const user = listed?.user === undefined ? {} : { user: await hashed(listed.user) };
      return driver.commit(
        thread,
        { ...sent, ...(listed && { listed: { ...listed, ...user } }) },
        call,
      );
    },
    list: async (options, call) => {
      const { user } = options;
      const asked = user === undefined ? options : { ...options, user: await hashed(user) };
      const page = await driver.list(asked, call);
      const threads = await Promise.all(
        page.threads.map(
          async ([thread, text]) => [thread, await headForList(keys, thread, text)] as const,
        ),
      );
      return { ...page, threads };
    },
  };
}

/** Kinds of items whose values contain content: summaries and state. The others contain positions and hashes. */
const SEALED: ReadonlySet<string> = new Set(["o", "s"]);

/** A stored head. `hidden` contains `about`, which may describe a person, and `key`, the key of its hashes, encrypted. */
interface StoredHead {
  readonly keyName?: string;
  readonly isDeleted?: boolean;
  readonly about?: object;
  readonly key?: string;
  readonly hidden?: string;
}

type Ciphers = readonly Cipher[] | "destroyed";

/** Returns a change with its texts encrypted. */
async function sealedChange(keys: EncryptionKeys, thread: string, change: Change): Promise<Change> {
  const { rows = [], rewrite = [], put = [] } = change;
  const head: StoredHead = JSON.parse(change.head);
  const ciphers = await ciphersOf(keys, head.keyName ?? "", head.isDeleted === true);
  const seal = async (text: string, place: string): Promise<string> =>
    sealedText(ciphers, text, place);
  const sealRow = async (row: Row): Promise<Row> => ({
    ...row,
    text: await seal(row.text, rowPlace(thread, row)),
  });
  const sealItem = async ([kind, key, value]: Item): Promise<Item> =>
    SEALED.has(kind)
      ? [kind, key, await seal(value, itemPlace(thread, kind, key))]
      : [kind, key, value];
  return {
    ...change,
    head: await sealHead(thread, head, ciphers === "destroyed" ? undefined : seal),
    rows: await Promise.all(rows.map(sealRow)),
    rewrite: await Promise.all(rewrite.map(sealRow)),
    put: await Promise.all(put.map(sealItem)),
  };
}

async function ciphersOf(
  keys: EncryptionKeys,
  name: string,
  mayBeDestroyed: boolean,
): Promise<Ciphers> {
  const versions = await keys.get(name);
  if (versions === undefined || versions.length === 0) throw unavailable("missing");
  if (versions !== "destroyed") return Promise.all(versions.map(cipherOf));
  if (!mayBeDestroyed) throw keyDestroyed();
  return versions;
}

/** Decrypts a head, and returns the ciphers for the rest of the thread. */
async function openHead(
  keys: EncryptionKeys,
  thread: string,
  text: string,
): Promise<{ readonly head: string; readonly secret: Ciphers }> {
  const { hidden, ...head } = headIn(text);
  const { keyName, isDeleted = false } = head;
  // A thread whose key was destroyed is deleted without the key.
  if (keyName === undefined || (hidden === undefined && !isDeleted)) throw unavailable("plain");
  const secret = await ciphersOf(keys, keyName, true);
  if (secret === "destroyed" || hidden === undefined)
    return { head: withoutHidden(head, "destroyed"), secret: "destroyed" };
  const opened = await openedText(secret, hidden, headPlace(thread, head));
  if (opened === undefined) throw unavailable("wrong");
  const rest: object = JSON.parse(opened);
  return { head: JSON.stringify({ ...head, ...rest }), secret };
}

function withoutHidden(head: StoredHead, sealed: Sealed): string {
  return JSON.stringify({ ...head, key: "", about: {}, views: {}, sealed });
}

async function sealHead(
  thread: string,
  { about = {}, key = "", ...head }: StoredHead,
  seal: ((text: string, place: string) => Promise<string>) | undefined,
): Promise<string> {
  const hidden = await seal?.(JSON.stringify({ about, key }), headPlace(thread, head));
  return JSON.stringify(hidden === undefined ? head : { ...head, hidden });
}

/** Decrypts a head for `list`; threads that cannot be decrypted do not make the list fail. */
async function headForList(keys: EncryptionKeys, thread: string, text: string): Promise<string> {
  try {
    return (await openHead(keys, thread, text)).head;
  } catch (error) {
    if (!isHistoryError(error, "KEY_UNAVAILABLE")) throw error;
    const { hidden: _, ...head } = headIn(text);
    return withoutHidden(head, "unavailable");
  }
}

/** Parses a head. An invalid one is empty here; the store refuses it later. */
function headIn(text: string): StoredHead {
  return Object(jsonIn(text));
}

async function openAnswer(
  secret: Ciphers,
  thread: string,
  ask: Ask,
  { rows, items }: Answer,
): Promise<Answer> {
  const kind = ask.kind === "items" && SEALED.has(ask.of) ? ask.of : undefined;
  if (secret === "destroyed") {
    const gone = rows.map(({ position, lane }) => erasedRow({ position, turn: 0, at: 0 }, lane));
    return { rows: gone, items: kind === undefined ? items : new Map() };
  }
  const opened = await Promise.all(
    rows.map(async (row): Promise<Row> => {
      const text = await openedText(secret, row.text, rowPlace(thread, row));
      return { ...row, text: text ?? "" };
    }),
  );
  if (kind === undefined) return { rows: opened, items };
  const values = await Promise.all(
    [...items].map(async ([key, value]): Promise<[string, string]> => [
      key,
      (await openedText(secret, value, itemPlace(thread, kind, key))) ?? "",
    ]),
  );
  return { rows: opened, items: new Map(values) };
}

const NOTHING: Answer = { rows: [], items: new Map() };

/** The place that a text is bound to: kind and position, then the thread. Places are unique. */
function rowPlace(thread: string, { position, lane }: Row): string {
  return `${position} ${lane} ${thread}`;
}
function itemPlace(thread: string, kind: string, key: string): string {
  return `${kind} ${key.length} ${key} ${thread}`;
}
function headPlace(thread: string, inTheClear: StoredHead): string {
  return `head ${thread.length} ${thread} ${JSON.stringify(inTheClear)}`;
}

/** Encrypts a text into a JSON string: `<version of the key>.<sealed text>`. */
async function sealedText(ciphers: Ciphers, text: string, place: string): Promise<string> {
  const cipher = ciphers === "destroyed" ? undefined : ciphers.at(-1);
  if (ciphers === "destroyed" || cipher === undefined) throw keyDestroyed();
  return `"${ciphers.length - 1}.${await cipher.seal(text, place)}"`;
}

/** Decrypts a text; `undefined` if it was encrypted with another key or for another place, or was modified. */
async function openedText(
  ciphers: readonly Cipher[],
  stored: string,
  place: string,
): Promise<string | undefined> {
  const end = stored.indexOf(".");
  const cipher = end < 0 ? undefined : ciphers[Number(stored.slice(1, end))];
  return cipher?.open(stored.slice(end + 1, -1), place);
}

function unavailable(reason: "missing" | "wrong" | "plain"): HistoryError {
  const found = {
    missing: "its key was not found",
    wrong: "the key is a different one, or encrypted text was changed or moved",
    plain: "the thread was stored without encryption",
  };
  return new HistoryError(
    `Cannot decrypt the thread: ${found[reason]}. Nothing was read or written.`,
    { code: "KEY_UNAVAILABLE", details: { reason } },
  );
}
