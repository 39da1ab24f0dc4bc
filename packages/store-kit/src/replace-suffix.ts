import { HistoryError } from "@agent-history/core";

import {
  appended,
  asksOf,
  changedBefore,
  prepareBatch,
  requireNotErased,
  STATE_WITHIN,
} from "./append-entries.ts";
import type { Ask, Item, ItemKey } from "./driver.ts";
import { requireVersion, trimmedTo, versionOf } from "./head.ts";
import type { Head } from "./head.ts";
import { keyedHash } from "./keyed-hash.ts";
import { duplicateId, notFound, noThread } from "./store-errors.ts";
import {
  contentOf,
  idValue,
  loadSound,
  positionIn,
  replacedUnder,
  stateAfter,
} from "./stored-log.ts";
import { overlaysIn, withoutSummaries } from "./summaries.ts";
import { look, writeThread } from "./thread-access.ts";
import type { Thread, ThreadVerb } from "./thread-access.ts";

/** Replaces all entries from one entry to the end of the log. */
export const replaceSuffix: ThreadVerb<"replaceSuffix"> = async (thread, options) => {
  const { from, expectedVersion, replacement, operationId, tokens } = options;
  const batch = prepareBatch(await changedBefore(thread, replacement), { tokens });
  const asks: readonly Ask[] = [
    ...asksOf(batch),
    { kind: "items", of: "i", keys: [from] },
    { kind: "items", of: "p", keys: [operationId] },
    { kind: "items", of: "o" },
  ];
  return writeThread(thread, asks, async ({ head, answers }) => {
    const [named, turns, start, operations, summaries] = answers;
    if (head === undefined) throw noThread();
    const content = batch.entries.map(({ json }): unknown => JSON.parse(json));
    const hash = await (await keyedHash(head.key))([from, ...content]);
    const done = operations?.items.get(operationId);
    if (done !== undefined) {
      if (!done.endsWith(` ${hash}`))
        throw new HistoryError(
          `The operation id ${JSON.stringify(operationId)} was already used for a different replacement. Nothing was written. Use a new id.`,
          { code: "DUPLICATE_ID", details: { operationId } },
        );
      return { result: { version: Number.parseInt(done, 10) }, change: { head } };
    }
    requireVersion(expectedVersion, versionOf(head));
    const position = positionIn(start, from);
    if (position === undefined)
      throw notFound("Expected `from` to be the id of an entry of the thread.", from);
    await requireNotErased(thread, head, batch);
    const left = withoutSummaries(
      head,
      overlaysIn(summaries),
      ({ runs }) => runs.some(([, to]) => to >= position),
      position,
      (revision) => revision + 1,
    );
    for (const { entry } of batch.entries) {
      const isOfLog = (positionIn(named, entry.id) ?? Infinity) < position;
      if (isOfLog || left.kept.some(({ summary }) => summary.id === entry.id))
        throw duplicateId(entry.id, "is already used in the part of the thread that stays");
    }
    const cut = await cutLog(thread, { ...head, views: left.views }, position);
    const { absent: _, ...change } = appended(cut.head, batch, thread.now(), {
      turns: new Map(
        [...(turns?.items ?? [])].filter(([, value]) => Number.parseInt(value, 10) < position),
      ),
      ids: new Map([...(named?.items ?? []), ...cut.ids]),
    }).change;
    const version = versionOf(change.head) ?? 0;
    const put: Item[] = [
      ...cut.put,
      ...(change.put ?? []),
      ["p", operationId, `${version} ${hash}`],
    ];
    return {
      result: { version },
      change: { ...change, keep: position, drop: [...cut.drop, ...left.drop], put },
    };
  });
};

/** Most replaced contents that are remembered for one id. */
const MOST_REPLACED = 16;

/** Cuts a log before a position: returns its head, the items to write and to remove, and what the ids of the removed entries stand for. Removed content is remembered by its hash. */
async function cutLog(thread: Thread, head: Head, position: number) {
  const { answers } = await look(thread, [
    { kind: "rows", from: 0, to: position, limit: STATE_WITHIN },
    { kind: "rows", from: position, to: head.entryCount, limit: Infinity },
    { kind: "items", of: "a" },
  ]);
  const [before, after, agents] = answers;
  const rows = (after?.rows ?? []).map(loadSound);
  const gone = rows.filter(({ isErased }) => !isErased);
  // Erased entries keep their turns.
  const turnIds = new Set(rows.flatMap(({ entry }) => entry.turnId ?? []));
  const [known, turns] = (
    await look(thread, [
      { kind: "items", of: "i", keys: gone.map(({ entry }) => entry.id) },
      { kind: "items", of: "t", keys: [...turnIds] },
    ])
  ).answers;
  const isGone = ([, value]: readonly [string, string]): boolean =>
    Number.parseInt(value, 10) >= position;
  const cuts = head.cuts + 1;
  const hashOf = await keyedHash(head.key);
  const ids = new Map<string, string>();
  for (const { entry, json } of gone) {
    const hash = await hashOf(contentOf(json));
    const earlier = replacedUnder(known?.items.get(entry.id)).slice(1 - MOST_REPLACED);
    ids.set(entry.id, idValue("-", [...earlier, [cuts, hash]]));
  }
  return {
    head: {
      ...head,
      entryCount: position,
      ...trimmedTo(head, position),
      changes: head.changes + (head.entryCount - position) + 1,
      cuts,
      kept: withCut(head.kept, cuts, position),
      log: stateAfter((before?.rows ?? []).map(loadSound)),
    },
    put: [
      ...Array.from(ids, ([id, value]): Item => ["i", id, value]),
      // The previous task of the agent is unknown without further reads.
      ...[...(agents?.items ?? [])].filter(isGone).map(([agent]): Item => ["a", agent, "-"]),
    ],
    drop: [...(turns?.items ?? [])].filter(isGone).map(([turn]): ItemKey => ["t", turn]),
    ids,
  };
}

/** Adds a step to `kept`; both numbers rise from step to step. If there are more than 32, merges the first two, which understates how many entries were kept. */
function withCut(kept: Head["kept"], nth: number, position: number): Head["kept"] {
  const steps = [...kept.filter(([, entries]) => entries < position), [nth, position] as const];
  const [first, second, ...others] = steps;
  return first !== undefined && second !== undefined && steps.length > 32
    ? [[second[0], first[1]], ...others]
    : steps;
}
