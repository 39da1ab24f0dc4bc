import { contentHash } from "@agent-history/core/kit";

import { patiently } from "./patience.ts";
import type { ThreadAccess } from "./thread-access.ts";

/*
 * Names of deleted threads are known by keyed hashes, as items `p` of one hidden thread: a name is often an e-mail address or says what a conversation is about.
 */

/** No list has it. */
const GRAVES = "\u0000deleted";

interface Graves {
  readonly stamp: number;
  readonly key: string;
}

/** Returns whether a thread of this name was deleted. */
export async function isBuried(
  access: ThreadAccess,
  threadId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { stamp, key } = await readGraves(access, signal);
  if (stamp === 0) return false;
  const hash = contentHash([key, threadId]);
  const ask = { kind: "items", of: "p", keys: [hash] } as const;
  const read = async (call: AbortSignal | undefined) =>
    access.driver.read(GRAVES, [ask], { signal: call });
  const { result } = await patiently("read", read, access, signal);
  return result.answers[0]?.items.has(hash) === true;
}

/** Remembers the name of a deleted thread; or forgets it, for a thread that comes back. */
export async function bury(
  access: ThreadAccess,
  threadId: string,
  isDeleted: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const { stamp, key } = await readGraves(access, signal);
    const hash = contentHash([key, threadId]);
    const change = {
      stamp,
      head: JSON.stringify({ v: 1, key }),
      ...(isDeleted ? { put: [["p", hash, "1"]] as const } : { drop: [["p", hash]] as const }),
    };
    const write = async (call: AbortSignal | undefined): Promise<boolean> =>
      access.driver.commit(GRAVES, change, { signal: call });
    const { result, isUnsure } = await patiently("write", write, access, signal);
    if (result || (isUnsure && (await isBuried(access, threadId, signal)) === isDeleted)) return;
  }
}

async function readGraves(access: ThreadAccess, signal: AbortSignal | undefined): Promise<Graves> {
  const read = async (call: AbortSignal | undefined) =>
    access.driver.read(GRAVES, [], { signal: call });
  const { stamp, head } = (await patiently("read", read, access, signal)).result;
  const { key }: { readonly key?: string } = JSON.parse(head ?? "{}");
  return { stamp, key: key ?? crypto.randomUUID() };
}
