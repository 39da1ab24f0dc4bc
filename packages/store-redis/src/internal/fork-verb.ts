import type { HistoryStore } from "@agent-history/core";
import { requireName } from "@agent-history/core/schema";
import { forkProgram, requireForkOptions, runProgramAsync } from "@agent-history/store-kit/indexed";
import type { ForkedIndex } from "@agent-history/store-kit/indexed";

import { FORK_COMMIT } from "../lua/fork-commit.ts";
import { decodeField } from "./encode-key-part.ts";
import { TORN } from "./look-up-presence.ts";
import type { FoundThread } from "./look-up-thread.ts";
import type { Operation } from "./operation.ts";
import { prepareFork } from "./prepare-fork.ts";
import type { SharedFields } from "./prepare-fork.ts";
import { listOf, numberOf, pairsOf, textOf } from "./reply.ts";
import { runVerb } from "./run-verb.ts";
import { positionOf, shortValue } from "./short-thread.ts";
import type { ShortThread } from "./short-thread.ts";
import type { StagedKeys } from "./stage-keys.ts";
import type { StoreContext } from "./store-context.ts";
import { conflict, threadCorrupt, threadDeleted, threadMissing } from "./thread-errors.ts";
import { threadReader } from "./thread-reader.ts";
import { nameInTree, ownKeys, locateThread } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { encodeAncestry } from "./tree.ts";
import type { Ancestor, Tree } from "./tree.ts";
import { changeOf, knownTree, runWrite } from "./write-thread.ts";

/** Makes `fork`: what the fork owns is written under names of its own, and takes its place in one step. */
export function forkVerb(context: StoreContext): HistoryStore["fork"] {
  return (threadId, { at, as, signal }) =>
    runVerb(context, { verb: "fork", threadId, signal }, async ({ operation, counts }) => {
      requireForkOptions({ at, as });
      requireName("threadId", `${threadId}/${as}`);
      const parent = locateThread(context.namespace, threadId);
      const fork = locateThread(context.namespace, `${threadId}/${as}`);
      const reader = threadReader(context, operation, parent);
      await reader.answer([{ kind: "thread" }]);
      const found = reader.found();
      if (found?.exists !== true) throw threadMissing();
      await requireFree(context, operation, fork);
      const index = await runProgramAsync(forkProgram({ at }), reader.answer, signal);
      counts["agent_history.entries"] = index.version;
      const { short } = reader.found() ?? found;
      const shared =
        short === undefined
          ? await sharedIds(context, operation, { parent, index })
          : sharedEntries(short, index);
      const isShort = short !== undefined;
      const staged = await prepareFork(context, operation, { fork, index, shared, isShort });
      const prepared = { ...staged, lastId: shared.last };
      await context.index.enter(operation, fork.threadId, false);
      const user = await userOf(context, operation, parent);
      if (user !== undefined) await context.newest.assign(operation, fork.threadId, user);
      const ancestry = short === undefined ? ancestryOf(parent, found.ancestry, index.version) : [];
      const given = { parent, fork, found, index, prepared, ancestry, isShort };
      await commitFork(context, operation, given);
      return { threadId: fork.threadId };
    });
}

/** Whose a thread is: a fork is entered among that user's threads before it is there. */
async function userOf(
  { link }: StoreContext,
  operation: Operation,
  { meta }: ThreadLocation,
): Promise<string | undefined> {
  const user = textOf(
    await operation.read((signal) => link.send(meta, ["HGET", meta, "w"], signal)),
  );
  return user === undefined ? undefined : decodeField(user);
}

async function requireFree(
  context: StoreContext,
  operation: Operation,
  fork: ThreadLocation,
): Promise<void> {
  const reader = threadReader(context, operation, fork);
  await reader.answer([{ kind: "thread" }]);
  const { exists = false, version = 0 } = reader.found() ?? {};
  if (exists) throw conflict("fork's version", "none", version);
}

/** The ids of what a fork shares: those of the parent that stand before the fork point. In pages: a long thread has as many ids as entries. */
async function sharedIds(
  { link }: StoreContext,
  operation: Operation,
  { parent, index }: { readonly parent: ThreadLocation; readonly index: ForkedIndex },
): Promise<SharedFields> {
  // A field may be on two pages.
  const fields = new Map<string, string>();
  let last = "";
  let cursor = "0";
  do {
    const command = ["HSCAN", parent.ids, cursor, "COUNT", "500"];
    const reply = await operation.read((signal) => link.send(parent.ids, command, signal));
    const [next, page] = listOf(reply);
    for (const [field, value] of pairsOf(page)) {
      const position = positionOf(value) ?? Infinity;
      if (position < index.version) fields.set(field, value);
      if (position === index.version - 1) last = field;
    }
    cursor = textOf(next) ?? "0";
  } while (cursor !== "0");
  return { fields, last };
}

/** A short thread is copied: its entries are no rows that could be shared. */
function sharedEntries({ fields, lines }: ShortThread, { version }: ForkedIndex): SharedFields {
  const own = [...fields].filter(([position]) => position < version);
  const shared = own.map(
    ([position, field]) => [field, shortValue(position, lines.get(position) ?? "")] as const,
  );
  return { fields: new Map(shared), last: fields.get(version - 1) ?? "" };
}

function ancestryOf(
  parent: ThreadLocation,
  ancestry: readonly Ancestor[],
  version: number,
): readonly Ancestor[] {
  const older = ancestry.map(({ branch, upTo }) => ({ branch, upTo: Math.min(upTo, version) }));
  const sharedBefore = older.at(-1)?.upTo ?? 0;
  return version > sharedBefore ? [...older, { branch: parent.branch, upTo: version }] : older;
}

interface ForkCommit {
  readonly parent: ThreadLocation;
  readonly fork: ThreadLocation;
  /** The parent as the index was derived from it. */
  readonly found: FoundThread;
  readonly index: ForkedIndex;
  readonly prepared: StagedKeys & { readonly lastId: string };
  readonly ancestry: readonly Ancestor[];
  readonly isShort: boolean;
}

async function commitFork(
  context: StoreContext,
  operation: Operation,
  given: ForkCommit,
): Promise<void> {
  const { fork } = given;
  for (;;) {
    const tree = await knownTree(context, operation, fork);
    const reply = await runWrite(context, operation, callOf(given, tree));
    context.known.forgetTree(fork.tag);
    const [status, value, ...change] = listOf(reply);
    switch (textOf(status)) {
      case "ok": {
        const { change: begun } = changeOf(change[0], change[1]);
        if (begun !== undefined) context.newest.touch(fork.threadId, begun);
        return;
      }
      case "deleted":
        throw threadDeleted();
      case "missing":
        throw threadMissing();
      case "conflict":
        throw conflict("fork's version", "none", numberOf(value));
      case "moved":
        context.known.forget(given.parent.threadId);
        throw TORN;
      case "tree":
        break;
      default:
        throw threadCorrupt("fork");
    }
  }
}

function callOf(
  { parent, fork, found, index, prepared, ancestry, isShort }: ForkCommit,
  tree: Tree,
): Parameters<typeof runWrite>[2] {
  const pairs = prepared.keys.flatMap(({ staged, key }) => [staged, key]);
  const names = [...ownKeys(fork), ...prepared.keys.map(({ key }) => key)]
    .filter((key) => key !== fork.meta)
    .map((key) => nameInTree(fork, key));
  return {
    script: FORK_COMMIT,
    keys: [parent.meta, fork.meta, fork.tree, ...pairs],
    args: [
      String(tree.revision),
      String(index.version),
      isShort ? "" : index.head,
      prepared.lastId,
      encodeAncestry(ancestry),
      String(index.overlays.length),
      nameInTree(fork, fork.meta),
      prepared.name,
      found.replacements === 0 ? "" : String(found.replacements),
      found.storedAncestry,
      ...new Set(names),
    ],
  };
}
