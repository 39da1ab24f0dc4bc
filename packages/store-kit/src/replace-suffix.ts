import type { ExpectedVersion, HistoryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import { appended, asksOf, requireNotErased, STATE_WITHIN } from "./append-entries.ts";
import type { Answer, Ask, Item, ItemKey } from "./driver.ts";
import { duplicateId, notFound, noThread, requireVersion, trimmedTo, versionOf } from "./head.ts";
import type { Head } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import { prepareBatch } from "./prepare-batch.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { contentOf, loadSound, positionIn, replacedBy, stateAfter } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { overlaysIn, viewsOf } from "./summaries.ts";
import { lookAt, writeThread } from "./thread-access.ts";
import type { Decision, Known, ThreadAccess } from "./thread-access.ts";
import { keptOverlays } from "./views.ts";
import type { Overlay } from "./views.ts";

/** What `replaceSuffix` is given. */
export interface Replacement {
  readonly from: string;
  readonly expectedVersion: ExpectedVersion;
  readonly replacement: readonly HistoryEntry[];
  readonly operationId: string;
  readonly tokens?: ReadonlyMap<string, readonly number[]> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An operation that was done, as an item `p` holds it. */
interface StoredOperation {
  readonly hash: string;
  readonly version: number;
}

/** Replaces what stands from one entry to the end of the log. */
export async function replaceSuffix(
  access: ThreadAccess,
  threadId: string,
  options: Replacement,
): Promise<{ readonly version: number }> {
  const { from, expectedVersion, replacement, operationId, tokens, signal } = options;
  const batch = prepareBatch(replacement, { tokens });
  const content = batch.entries.map(({ json }): unknown => JSON.parse(json));
  const asks: readonly Ask[] = [
    ...asksOf(batch),
    { kind: "named", ids: [from] },
    { kind: "items", of: "p", keys: [operationId] },
    { kind: "items", of: "o" },
  ];
  const decide = async (known: Known): Promise<Decision<{ readonly version: number }>> => {
    const { head } = known;
    const [, , , start, operations, summaries] = known.answers;
    if (head === undefined) throw noThread();
    const hashOf = await keyedHash(head.key);
    const hash = await hashOf([from, ...content]);
    const done = operations?.items.get(operationId);
    if (done !== undefined) return { result: answerOf(done, hash, operationId), isKnown: true };
    requireVersion(expectedVersion, versionOf(head));
    const position = positionIn(start, from);
    if (position === undefined)
      throw notFound("Expected `from` to be the id of an entry of the thread.", from);
    const overlays = overlaysIn(summaries);
    const stays = keptOverlays(overlays, position);
    await requireNotErased(access, threadId, head, batch, signal);
    requireFreeIds(batch, position, stays, known.answers[0]);
    const around = await lookAround(access, threadId, head, position, signal);
    const removed = overlays.filter((one) => !stays.includes(one));
    return replaced({
      head,
      batch,
      known,
      position,
      around,
      stays,
      removed,
      now: access.now(),
      operation: { id: operationId, hash },
    });
  };
  return writeThread(access, threadId, { asks, decide, isRecognized: true }, signal);
}

function answerOf(text: string, hash: string, operationId: string): { readonly version: number } {
  const done: StoredOperation = JSON.parse(text);
  if (done.hash === hash) return { version: done.version };
  throw new HistoryError(
    `The operation id ${JSON.stringify(operationId)} stands for a replacement of another content. Nothing was written.`,
    { code: "DUPLICATE_ID", details: { operationId } },
  );
}

/** Refuses ids of what stays. */
function requireFreeIds(
  batch: PreparedBatch,
  position: number,
  stays: readonly Overlay[],
  named: Answer | undefined,
): void {
  for (const { entry } of batch.entries) {
    const isTaken =
      (positionIn(named, entry.id) ?? Infinity) < position ||
      stays.some(({ summary }) => summary.id === entry.id);
    if (isTaken) throw duplicateId(entry.id, "belongs to what stays of the thread");
  }
}

/** What is read of a thread around the place where it is cut. */
interface Around {
  readonly before: readonly LoadedRow[];
  readonly gone: readonly LoadedRow[];
  /** Items `i` of what goes. */
  readonly ids: ReadonlyMap<string, string>;
  /** Turns that began in what goes. */
  readonly begun: readonly string[];
  /** Agents whose last task goes. */
  readonly agents: readonly string[];
}

async function lookAround(
  access: ThreadAccess,
  threadId: string,
  { entryCount }: Head,
  position: number,
  signal: AbortSignal | undefined,
): Promise<Around> {
  const rows = await lookAt(
    access,
    threadId,
    [
      { kind: "rows", from: 0, to: position, limit: STATE_WITHIN },
      { kind: "rows", from: position, to: entryCount, limit: Infinity },
      { kind: "items", of: "a" },
    ],
    signal,
  );
  const [before, after, agents] = rows.answers;
  const gone = (after?.rows ?? []).map(loadSound).filter(({ isErased }) => !isErased);
  const turnIds = new Set(gone.flatMap(({ entry }) => entry.turnId ?? []));
  const items = await lookAt(
    access,
    threadId,
    [
      { kind: "items", of: "i", keys: gone.map(({ entry }) => entry.id) },
      { kind: "items", of: "t", keys: [...turnIds] },
    ],
    signal,
  );
  const isGone = ([, value]: readonly [string, string]): boolean =>
    Number.parseInt(value, 10) >= position;
  return {
    before: (before?.rows ?? []).map(loadSound),
    gone,
    ids: items.answers[0]?.items ?? new Map(),
    begun: [...(items.answers[1]?.items ?? [])].filter(isGone).map(([turn]) => turn),
    agents: [...(agents?.items ?? [])].filter(isGone).map(([agent]) => agent),
  };
}

interface Cut {
  readonly head: Head;
  readonly batch: PreparedBatch;
  readonly known: Known;
  readonly position: number;
  readonly around: Around;
  readonly stays: readonly Overlay[];
  readonly removed: readonly Overlay[];
  readonly now: number;
  readonly operation: { readonly id: string; readonly hash: string };
}

/** The change that cuts a log at a position and puts a batch behind it. */
async function replaced(cut: Cut): Promise<Decision<{ readonly version: number }>> {
  const { head, batch, known, position, around, stays, removed, now, operation } = cut;
  const { before, gone, ids, agents, begun } = around;
  const nth = head.cuts + 1;
  const shortened: Head = {
    ...head,
    entryCount: position,
    ...trimmedTo(head, position),
    changes: head.changes + (head.entryCount - position) + 1,
    cuts: nth,
    kept: withCut(head.kept, nth, position),
    log: stateAfter(before),
    views: viewsOf(stays, head.views, position, (revision) => revision + 1),
  };
  const idsAfter = new Map<string, string>(known.answers[0]?.items);
  const put: Item[] = [];
  const hashOf = await keyedHash(head.key);
  const hashes = await Promise.all(gone.map(async ({ json }) => hashOf(contentOf(json))));
  for (const [at, { entry }] of gone.entries()) {
    const value = replacedBy(nth, hashes[at] ?? "", ids.get(entry.id));
    idsAfter.set(entry.id, value);
    put.push(["i", entry.id, value]);
  }
  const isLeft = ([, value]: readonly [string, string]): boolean =>
    Number.parseInt(value, 10) < position;
  const [, , turns] = known.answers;
  const { result, change } = appended(shortened, batch, now, {
    ids: idsAfter,
    turns: new Map([...(turns?.items ?? [])].filter(isLeft)),
  });
  const stored: StoredOperation = { hash: operation.hash, version: result.version };
  return {
    result: { version: result.version },
    change: {
      head: change.head,
      keep: position,
      ...(change.rows && { rows: change.rows }),
      drop: [
        ...begun.map((turn): ItemKey => ["t", turn]),
        ...removed.flatMap(({ summary: { id } }): readonly ItemKey[] => [
          ["o", id],
          ["i", id],
        ]),
      ],
      put: [
        ...put,
        // The last task before it is not known without reading on.
        ...agents.map((agent): Item => ["a", agent, "-"]),
        ...(change.put ?? []),
        ["p", operation.id, JSON.stringify(stored)],
      ],
    },
  };
}

/** Steps rise on both sides. Beyond 32, two are joined, which says less than has stayed. */
function withCut(kept: Head["kept"], nth: number, position: number): Head["kept"] {
  const steps = [...kept.filter(([, entries]) => entries < position), [nth, position] as const];
  const [first, second, ...others] = steps;
  return first !== undefined && second !== undefined && steps.length > 32
    ? [[second[0], first[1]], ...others]
    : steps;
}
