import { decodeField } from "./encode-key-part.ts";
import type { LogChange } from "./newest-index.ts";
import { outcomeUnknown } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { listOf, numberOf, textOf } from "./reply.ts";
import { runScript, runScriptAnd } from "./run-script.ts";
import type { Script, ScriptCall } from "./run-script.ts";
import type { StoreContext } from "./store-context.ts";
import { historyRewound, threadCorrupt, threadDeleted } from "./thread-errors.ts";
import { fixedKeys, nameInTree } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { treeOf, withNames } from "./tree.ts";
import type { Tree } from "./tree.ts";

/** A script on a thread, with what it needs besides what every script gets. */
export interface ThreadWrite {
  readonly script: Script;
  /** Keys that follow the fixed nine. */
  readonly keys?: readonly string[];
  /** Keys that follow these, which are no news to the tree. */
  readonly unnamedKeys?: readonly string[];
  readonly args: readonly string[];
}

/** What a script answered: a word, and what belongs to it. */
export interface WriteAnswer {
  readonly status: string;
  readonly values: readonly unknown[];
  /** When the thread expires, by the server's clock. */
  readonly expiresAtMs?: number;
  /** Whether the thread began with this write. */
  readonly isNew?: boolean;
  /** When its log changed, and whose the thread is, where the script says so. */
  readonly change?: LogChange;
}

/** Runs a script on a thread. Throws where the thread was deleted, is corrupt or rewound; any other answer is the caller's. */
export async function writeThread(
  context: StoreContext,
  operation: Operation,
  { location, write }: { readonly location: ThreadLocation; readonly write: ThreadWrite },
): Promise<WriteAnswer> {
  for (;;) {
    const tree = await knownTree(context, operation, location);
    const { call, fresh, seenVersion } = callOf(context, { location, write, tree });
    const [word, ...values] = listOf(await runWrite(context, operation, call));
    const status = textOf(word) ?? "";
    switch (status) {
      case "deleted":
        throw threadDeleted();
      case "corrupt":
        throw threadCorrupt(textOf(values[0]) ?? "");
      case "tree":
        context.known.forgetTree(location.tag);
        break;
      case "rewound":
        await reportRewound(context, operation, {
          location,
          seenVersion,
          found: numberOf(values[0]),
        });
        break;
      case "ok":
        keepTree(context, location, { tree, fresh, revision: numberOf(values[1]) });
        return {
          status,
          values,
          isNew: numberOf(values[3]) === 1,
          ...expiryOf(values[2]),
          ...changeOf(values[4], values[5]),
        };
      default:
        return { status, values };
    }
  }
}

function expiryOf(reply: unknown): { readonly expiresAtMs?: number } {
  const expiry = textOf(reply) ?? "";
  return expiry === "" ? {} : { expiresAtMs: Number(expiry) };
}

/** Reads what a script says of when a log changed, and of whose it is. */
export function changeOf(updated: unknown, user: unknown): { readonly change?: LogChange } {
  if (updated === undefined) return {};
  const owner = textOf(user) ?? "";
  return {
    change: {
      updatedAtMs: numberOf(updated),
      user: owner === "" ? undefined : decodeField(owner),
    },
  };
}

/** Reads what a tree consists of, where this handle does not know it. */
export async function knownTree(
  { link, known }: StoreContext,
  operation: Operation,
  { tag, tree: key }: ThreadLocation,
): Promise<Tree> {
  const cached = known.tree(tag);
  if (cached !== undefined) return cached;
  const tree = treeOf(await operation.read((signal) => link.send(key, ["HGETALL", key], signal)));
  known.seeTree(tag, tree);
  return tree;
}

function callOf(
  { ttlMs, known }: StoreContext,
  {
    location,
    write,
    tree,
  }: { readonly location: ThreadLocation; readonly write: ThreadWrite; readonly tree: Tree },
): { readonly call: ScriptCall; readonly fresh: readonly string[]; readonly seenVersion: number } {
  const seen = known.thread(location.threadId);
  const { version: seenVersion = 0, entryCount = 0, lastId = "" } = seen ?? {};
  const own = [...fixedKeys(location), ...(write.keys ?? [])];
  const fresh = own.map((key) => nameInTree(location, key)).filter((name) => isFresh(name, tree));
  const args = [
    ttlMs === undefined ? "" : String(ttlMs),
    String(tree.revision),
    ...(entryCount === 0 ? ["", ""] : [lastId, String(entryCount - 1)]),
    String(seen?.replacements ?? 0),
    String(fresh.length),
    ...fresh,
    ...write.args,
  ];
  const given = [...own, ...(write.unnamedKeys ?? [])];
  const others = ttlMs === undefined ? [] : keysOf(location, tree);
  const keys = [...given, ...others.filter((key) => !given.includes(key))];
  return { call: { script: write.script, keys, args }, fresh, seenVersion };
}

function isFresh(name: string, { names }: Tree): boolean {
  return !names.has(name) && name !== ":tree";
}

/** All keys of a tree, for they expire together. */
function keysOf({ tag }: ThreadLocation, { names }: Tree): readonly string[] {
  return [...names.keys()].map((name) => `${tag}${name}`);
}

function keepTree(
  { known }: StoreContext,
  { tag }: ThreadLocation,
  {
    tree,
    fresh,
    revision,
  }: { readonly tree: Tree; readonly fresh: readonly string[]; readonly revision: number },
): void {
  if (fresh.length === 0) return;
  // Another writer may have added names of its own.
  if (revision === tree.revision + 1) known.seeTree(tag, withNames(tree, fresh, revision));
  else known.forgetTree(tag);
}

/** Sends a script, and waits for replicas where the store promises them. */
export async function runWrite(
  { link, replicas, timeoutMs }: StoreContext,
  operation: Operation,
  call: ScriptCall,
): Promise<unknown> {
  if (replicas === 0) return operation.write((signal) => runScript(link, call, signal));
  const waitMs = timeoutMs === Infinity ? 0 : Math.max(1, Math.floor(timeoutMs / 2));
  const command = ["WAIT", String(replicas), String(waitMs)];
  const { reply, after } = await operation.write((signal) =>
    runScriptAnd(link, call, { command, signal }),
  );
  const reached = after?.status === "fulfilled" ? numberOf(after.value) : 0;
  const isWritten = textOf(listOf(reply)[0]) === "ok";
  if (isWritten && reached < replicas) throw outcomeUnknown("replicas");
  return reply;
}

/** Throws that a history was rewound, and takes up what is there now; where the thread has expired, nothing was lost. */
export async function reportRewound(
  { link, known }: StoreContext,
  operation: Operation,
  {
    location,
    seenVersion,
    found,
  }: { readonly location: ThreadLocation; readonly seenVersion: number; readonly found: number },
): Promise<void> {
  const expiresAtMs = known.thread(location.threadId)?.expiresAtMs ?? Infinity;
  known.forget(location.threadId);
  known.forgetTree(location.tag);
  if (expiresAtMs < Infinity) {
    const time = await operation.read((signal) => link.send(location.meta, ["TIME"], signal));
    if (numberOf(listOf(time)[0]) * 1000 + 1000 > expiresAtMs) return;
  }
  throw historyRewound(seenVersion, found);
}
