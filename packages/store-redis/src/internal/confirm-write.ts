import { CONFIRM } from "../lua/confirm.ts";
import type { Operation } from "./operation.ts";
import type { StoreContext } from "./store-context.ts";
import { fixedKeys } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { writeThread } from "./write-thread.ts";

/** A field of a thread's key that a write left behind. */
export interface FoundField {
  readonly key: string;
  readonly field: string;
  /** Default: any. */
  readonly value?: string;
}

/**
 * Makes the answer that a write is there already as durable as that of the write itself (L18): where replicas are promised, they have it by then.
 * One round trip where replicas are promised, else none.
 *
 * @returns False where what was found is gone meanwhile.
 */
export async function confirmWrite(
  context: StoreContext,
  operation: Operation,
  { location, found }: { readonly location: ThreadLocation; readonly found: readonly FoundField[] },
): Promise<boolean> {
  if (context.replicas === 0) return true;
  const keys = fixedKeys(location);
  const args = found.flatMap(({ key, field, value = "" }) => [
    String(keys.indexOf(key) + 1),
    field,
    value,
  ]);
  const write = { script: CONFIRM, args };
  const { status } = await writeThread(context, operation, { location, write });
  return status === "ok";
}
