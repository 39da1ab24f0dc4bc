import { keyedHash, newKey } from "./keyed-hash.ts";
import { patiently } from "./patience.ts";
import type { ThreadAccess } from "./thread-access.ts";

/*
 * Names of deleted threads are known by keyed hashes, as items `p` of one hidden thread: a name is often an e-mail address or says what a conversation is about.
 */

/** No list has it. */
export const GRAVES = "\u0000deleted";

interface Graves {
  readonly stamp: number;
  readonly key: string;
  readonly isBuried: boolean;
}

/** Returns whether a thread of this name was deleted. */
export async function isBuried(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return (await readGraves(access, threadId, signal)).isBuried;
}

/** Remembers the name of a deleted thread; or forgets it, for a thread that comes back. */
export async function bury(
  access: ThreadAccess,
  threadId: string,
  isDeleted: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const { stamp, key, ...graves } = await readGraves(access, threadId, signal);
    // What was remembered already is written again: as durable as the first answer.
    if (!graves.isBuried && !isDeleted) return;
    const hash = await (await keyedHash(key))(threadId);
    const change = {
      stamp,
      head: JSON.stringify({ v: 1, key }),
      ...(isDeleted ? { put: [["p", hash, "1"]] as const } : { drop: [["p", hash]] as const }),
    };
    const write = async (call: AbortSignal | undefined): Promise<boolean> =>
      access.driver.commit(GRAVES, change, { signal: call });
    if ((await patiently("write", write, access, signal)).result) return;
  }
}

/** One read, once the handle knows the key. */
async function readGraves(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<Graves> {
  for (;;) {
    const { known } = access.graves;
    const hash = known === undefined ? "" : await (await keyedHash(known))(threadId);
    const ask = { kind: "items", of: "p", keys: hash === "" ? [] : [hash] } as const;
    const read = async (call: AbortSignal | undefined) =>
      access.driver.read(GRAVES, [ask], { signal: call });
    const { stamp, head, answers } = (await patiently("read", read, access, signal)).result;
    if (stamp === 0) return { stamp, key: newKey(), isBuried: false };
    const { key = "" }: { readonly key?: string } = JSON.parse(head ?? "{}");
    if (key === known) return { stamp, key, isBuried: answers[0]?.items.has(hash) === true };
    access.graves.known = key;
  }
}
