import { HistoryError, isHistoryError } from "@agent-history/core";

import type { Answer, Ask, Change, Item, Row, ThreadDriver } from "./driver.ts";
import { GRAVES } from "./head.ts";
import type { Sealed } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import { invalidOption, jsonIn, keyDestroyed } from "./store-errors.ts";
import { erasedRow } from "./stored-log.ts";

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
      const { head, codec } = await openHead(keys, thread, read.head);
      const answers = await Promise.all(
        read.answers.map(async (answer, nth) => openAnswer(codec, thread, asks[nth], answer)),
      );
      return { ...read, head, answers };
    },
    commit: async (thread, change, call) => {
      if (thread === GRAVES) return driver.commit(thread, change, call);
      if (change.gone === true) return driver.commit(thread, { ...change, head: "{}" }, call);
      const sent = await sealedChange(keys, thread, change);
      const { listed } = change;
      if (listed?.user === undefined) return driver.commit(thread, sent, call);
      const user = await hashed(listed.user);
      return driver.commit(thread, { ...sent, listed: { ...listed, user } }, call);
    },
    list: async (options, call) => {
      const { user } = options;
      const asked = user === undefined ? options : { ...options, user: await hashed(user) };
      const page = await driver.list(asked, call);
      const threads = page.threads.map(
        async ([thread, text]) => [thread, await headForList(keys, thread, text)] as const,
      );
      return { ...page, threads: await Promise.all(threads) };
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

type Codec = NonNullable<Awaited<ReturnType<typeof codecOf>>>;

/** Encrypts and decrypts texts with the versions of a key; `undefined` if the key was destroyed. */
async function codecOf(keys: EncryptionKeys, name: string) {
  const versions = await keys.get(name);
  if (versions === undefined || versions.length === 0) throw unavailable("missing");
  if (versions === "destroyed") return undefined;
  const ciphers = await Promise.all(versions.map(cipherOf));
  return {
    /** Returns a JSON string: `<version of the key>.<sealed text>`. */
    seal: async (text: string, place: string) =>
      `"${ciphers.length - 1}.${await ciphers.at(-1)?.seal(text, place)}"`,
    /** Returns `undefined` if the text was encrypted with another key or for another place, or was modified. */
    open: async (stored: string, place: string) => {
      const end = stored.indexOf(".");
      const cipher = end < 0 ? undefined : ciphers[Number(stored.slice(1, end))];
      return cipher?.open(stored.slice(end + 1, -1), place);
    },
  };
}

/** Encrypts or decrypts rows. */
async function rowsBy(run: Codec["seal"] | Codec["open"], thread: string, rows: readonly Row[]) {
  const changed = rows.map(async (row): Promise<Row> => {
    const place = `${row.position} ${row.lane} ${thread}`;
    return { ...row, text: (await run(row.text, place)) ?? "" };
  });
  return Promise.all(changed);
}

/** Encrypts or decrypts items. */
async function itemsBy(run: Codec["seal"] | Codec["open"], thread: string, items: readonly Item[]) {
  const changed = items.map(async (item): Promise<Item> => {
    const [kind, key, value] = item;
    if (!SEALED.has(kind)) return item;
    return [kind, key, (await run(value, `${kind} ${key.length} ${key} ${thread}`)) ?? ""];
  });
  return Promise.all(changed);
}

/** The place that a head is bound to, with what it has in the clear. Places are unique. */
function headPlace(thread: string, inTheClear: StoredHead): string {
  return `head ${thread.length} ${thread} ${JSON.stringify(inTheClear)}`;
}

/** Returns a change with its texts encrypted. */
async function sealedChange(keys: EncryptionKeys, thread: string, change: Change): Promise<Change> {
  const { rows = [], rewrite = [], put = [] } = change;
  const { about = {}, key = "", ...head }: StoredHead = JSON.parse(change.head);
  const codec = await codecOf(keys, head.keyName ?? "");
  if (codec === undefined) {
    // A thread whose key was destroyed is deleted without the key.
    if (head.isDeleted !== true) throw keyDestroyed();
    return { ...change, head: JSON.stringify(head) };
  }
  const hidden = await codec.seal(JSON.stringify({ about, key }), headPlace(thread, head));
  return {
    ...change,
    head: JSON.stringify({ ...head, hidden }),
    rows: await rowsBy(codec.seal, thread, rows),
    rewrite: await rowsBy(codec.seal, thread, rewrite),
    put: await itemsBy(codec.seal, thread, put),
  };
}

/** Decrypts a head, and returns the codec for the rest of the thread. */
async function openHead(keys: EncryptionKeys, thread: string, text: string) {
  const { hidden, ...head } = headIn(text);
  const { keyName, isDeleted = false } = head;
  if (keyName === undefined || (hidden === undefined && !isDeleted)) throw unavailable("plain");
  const codec = await codecOf(keys, keyName);
  if (codec === undefined || hidden === undefined)
    return { head: withoutHidden(head, "destroyed"), codec: undefined };
  const opened = await codec.open(hidden, headPlace(thread, head));
  if (opened === undefined) throw unavailable("wrong");
  const rest: object = JSON.parse(opened);
  return { head: JSON.stringify({ ...head, ...rest }), codec };
}

function withoutHidden(head: StoredHead, sealed: Sealed): string {
  return JSON.stringify({ ...head, key: "", about: {}, views: {}, sealed });
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
  codec: Codec | undefined,
  thread: string,
  ask: Ask | undefined,
  { rows, items }: Answer,
): Promise<Answer> {
  const kind = ask?.kind === "items" && SEALED.has(ask.of) ? ask.of : undefined;
  if (codec === undefined) {
    const gone = rows.map(({ position, lane }) => erasedRow({ position, turn: 0, at: 0 }, lane));
    return { rows: gone, items: kind === undefined ? items : new Map() };
  }
  const opened = await rowsBy(codec.open, thread, rows);
  if (kind === undefined) return { rows: opened, items };
  const stored = Array.from(items, ([key, value]): Item => [kind, key, value]);
  const values = await itemsBy(codec.open, thread, stored);
  return { rows: opened, items: new Map(values.map(([, key, value]) => [key, value])) };
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

/** An AES-256-GCM key: 32 bytes, which Node uses synchronously; or a WebCrypto key, which may be non-extractable and costs one asynchronous call for each text. */
export type EncryptionKey = Uint8Array | CryptoKey;

/** Encrypts and decrypts texts with one key. Node and WebCrypto ciphers store the same format: nonce, cipher text and tag, as base64. */
export interface Cipher {
  seal(text: string, place: string): string | Promise<string>;
  /** Returns `undefined` if the text was encrypted with another key or for another place, or was modified. */
  open(sealed: string, place: string): string | undefined | Promise<string | undefined>;
}

/** Makes the cipher of a key: by `node:crypto` if possible, otherwise by WebCrypto. */
export async function cipherOf(key: EncryptionKey): Promise<Cipher> {
  if (!(key instanceof Uint8Array)) return webCipher(key);
  if (key.length !== KEY_BYTES)
    throw invalidOption("keys", `Expected a key of ${KEY_BYTES} bytes, got ${key.length}.`);
  const node = nodeCrypto();
  if (node !== undefined) return nodeCipher(node, key);
  return webCipher(
    await crypto.subtle.importKey("raw", new Uint8Array(key), "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]),
  );
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const ALGORITHM = "aes-256-gcm";
const TAG = { authTagLength: TAG_BYTES };

type NodeCrypto = NonNullable<ReturnType<typeof nodeCrypto>>;

/** `undefined` on edge runtimes. */
function nodeCrypto() {
  return globalThis.process?.getBuiltinModule?.("node:crypto");
}

function nodeCipher(node: NodeCrypto, bytes: Uint8Array): Cipher {
  const key = node.createSecretKey(bytes);
  return {
    seal: (text, place) => {
      const nonce = node.randomBytes(NONCE_BYTES);
      const cipher = node.createCipheriv(ALGORITHM, key, nonce, TAG);
      cipher.setAAD(Buffer.from(place));
      const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(parts).toString("base64");
    },
    open: (sealed, place) => {
      try {
        const stored = Buffer.from(sealed, "base64");
        const nonce = stored.subarray(0, NONCE_BYTES);
        const cipher = node.createDecipheriv(ALGORITHM, key, nonce, TAG);
        cipher.setAAD(Buffer.from(place));
        cipher.setAuthTag(stored.subarray(-TAG_BYTES));
        const text = cipher.update(stored.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8");
        return text + cipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

function webCipher(key: CryptoKey): Cipher {
  const algorithm = (nonce: Uint8Array<ArrayBuffer>, place: string): AesGcmParams => ({
    name: "AES-GCM",
    iv: nonce,
    additionalData: new TextEncoder().encode(place),
  });
  return {
    seal: async (text, place) => {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const bytes = new TextEncoder().encode(text);
      const cipher = await crypto.subtle.encrypt(algorithm(nonce, place), key, bytes);
      const sealed = new Uint8Array(NONCE_BYTES + cipher.byteLength);
      sealed.set(nonce);
      sealed.set(new Uint8Array(cipher), NONCE_BYTES);
      return btoa(Array.from(sealed, (byte) => String.fromCharCode(byte)).join(""));
    },
    open: async (sealed, place) => {
      try {
        const bytes = Uint8Array.from(atob(sealed), (char) => char.charCodeAt(0));
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const cipher = bytes.subarray(NONCE_BYTES);
        const text = await crypto.subtle.decrypt(algorithm(nonce, place), key, cipher);
        return new TextDecoder().decode(text);
      } catch {
        return undefined;
      }
    },
  };
}
