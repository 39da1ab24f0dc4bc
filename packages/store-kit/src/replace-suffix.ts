import type { ExpectedVersion, HistoryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import { appended, asksOf, requireNotErased, STATE_WITHIN } from "./append-entries.ts";
import type { Appended } from "./append-entries.ts";
import type { Ask, Item, ItemKey } from "./driver.ts";
import { duplicateId, notFound, noThread, requireVersion, trimmedTo, versionOf } from "./head.ts";
import type { Head } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import { prepareBatch } from "./prepare-batch.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { contentOf, loadSound, positionIn, replacedBy, stateAfter } from "./stored-log.ts";
import { overlaysIn, viewsOf } from "./summaries.ts";
import { lookAt, writeThread } from "./thread-access.ts";
import type { Decision, HeadChange, Known, ThreadAccess } from "./thread-access.ts";
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
    const before = operations?.items.get(operationId);
    if (before !== undefined) return { result: answerOf(before, hash, operationId), isKnown: true };
    requireVersion(expectedVersion, versionOf(head));
    const position = positionIn(start, from);
    if (position === undefined)
      throw notFound("Expected `from` to be the id of an entry of the thread.", from);
    await requireNotErased(access, threadId, head, batch, signal);
    const cut = { head, known, batch, position, overlays: overlaysIn(summaries), signal };
    requireFreeIds(cut);
    const { result, change } = await replaced(access, threadId, cut);
    const stored: StoredOperation = { hash, version: result.version };
    const done: Item = ["p", operationId, JSON.stringify(stored)];
    return {
      result: { version: result.version },
      change: { ...change, put: [...(change.put ?? []), done] },
    };
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

/** A log that is cut at a position, for a batch that comes behind it. */
interface Cut {
  readonly head: Head;
  readonly known: Known;
  readonly batch: PreparedBatch;
  readonly position: number;
  readonly overlays: readonly Overlay[];
  readonly signal: AbortSignal | undefined;
}

/** Refuses ids of what stays. */
function requireFreeIds({ batch, known, position, overlays }: Cut): void {
  const stays = keptOverlays(overlays, position);
  for (const { entry } of batch.entries) {
    const isTaken =
      (positionIn(known.answers[0], entry.id) ?? Infinity) < position ||
      stays.some(({ summary }) => summary.id === entry.id);
    if (isTaken) throw duplicateId(entry.id, "belongs to what stays of the thread");
  }
}

/** The change that cuts a log and puts a batch behind it. */
async function replaced(
  access: ThreadAccess,
  threadId: string,
  { head, known, batch, position, overlays, signal }: Cut,
): Promise<{ readonly result: Appended; readonly change: HeadChange }> {
  const look = async (asks: readonly Ask[]) =>
    (await lookAt(access, threadId, asks, signal)).answers;
  const [before, after, agents] = await look([
    { kind: "rows", from: 0, to: position, limit: STATE_WITHIN },
    { kind: "rows", from: position, to: head.entryCount, limit: Infinity },
    { kind: "items", of: "a" },
  ]);
  const gone = (after?.rows ?? []).map(loadSound).filter(({ isErased }) => !isErased);
  const goneTurns = new Set(gone.flatMap(({ entry }) => entry.turnId ?? []));
  const [ids, turns] = await look([
    { kind: "items", of: "i", keys: gone.map(({ entry }) => entry.id) },
    { kind: "items", of: "t", keys: [...goneTurns] },
  ]);
  const nth = head.cuts + 1;
  const stays = keptOverlays(overlays, position);
  const log = stateAfter((before?.rows ?? []).map(loadSound));
  const shortened = { ...cutHead(head, position, stays), log };
  const hashOf = await keyedHash(head.key);
  const put: Item[] = [];
  const idsAfter = new Map(known.answers[0]?.items);
  for (const { entry, json } of gone) {
    const value = replacedBy(nth, await hashOf(contentOf(json)), ids?.items.get(entry.id));
    put.push(["i", entry.id, value]);
    idsAfter.set(entry.id, value);
  }
  const turnsBefore = new Map([...(known.answers[2]?.items ?? [])].filter((one) => !isGone(one)));
  const found = { ids: idsAfter, turns: turnsBefore };
  const { result, change } = appended(shortened, batch, access.now(), found);
  return {
    result,
    change: {
      head: change.head,
      keep: position,
      ...(change.rows && { rows: change.rows }),
      drop: [
        ...[...(turns?.items ?? [])].filter(isGone).map(([turn]): ItemKey => ["t", turn]),
        ...overlays
          .filter((one) => !stays.includes(one))
          .flatMap(({ summary: { id } }): readonly ItemKey[] => [
            ["o", id],
            ["i", id],
          ]),
      ],
      put: [
        ...put,
        // The last task before it is not known without reading on.
        ...[...(agents?.items ?? [])].filter(isGone).map(([agent]): Item => ["a", agent, "-"]),
        ...(change.put ?? []),
      ],
    },
  };

  function isGone([, value]: readonly [string, string]): boolean {
    return Number.parseInt(value, 10) >= position;
  }
}

function cutHead(head: Head, position: number, stays: readonly Overlay[]): Head {
  const cuts = head.cuts + 1;
  return {
    ...head,
    entryCount: position,
    ...trimmedTo(head, position),
    changes: head.changes + (head.entryCount - position) + 1,
    cuts,
    kept: withCut(head.kept, cuts, position),
    views: viewsOf(stays, head.views, position, (revision) => revision + 1),
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
