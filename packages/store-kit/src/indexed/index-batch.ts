import type { HistoryEntry } from "@agent-history/core";

import { checkpointBefore, positionOfCheckpoint } from "./checkpoints.ts";
import { indexEntry } from "./index-entry.ts";
import { factKey, knownFacts } from "./known-facts.ts";
import { overStored } from "./over-stored.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { packReferences } from "./reference.ts";
import type { Reference } from "./reference.ts";
import type { ReferenceRow } from "./store-program.ts";
import { headOf } from "./thread-head.ts";
import type { ThreadHead } from "./thread-head.ts";

/** What a thread knew before a batch. */
export interface IndexInput {
  /** The thread's head as the last `indexBatch` gave it; `undefined` where the thread has no entries. */
  readonly head: string | undefined;
  /** The facts that are there, of the keys that `factKeys` named. More do no harm. */
  readonly facts: ReadonlyMap<string, string>;
  readonly batch: PreparedBatch;
  /** For each entry of the batch the position of the last entry of its row, where rows hold several. Default: a row for each. */
  readonly rowEnds?: readonly number[];
}

/** What is written beside the entries of a batch. */
export interface IndexedBatch {
  /** The position of the batch's first entry, from 0. The others follow without a gap. */
  readonly position: number;
  /** How many entries the thread has after the batch. */
  readonly version: number;
  /** The thread's new head, instead of the one before. Small and bounded, JSON. */
  readonly head: string;
  /** Facts to write, instead of those of the same keys. */
  readonly facts: ReadonlyMap<string, string>;
  /** Rows to add to each stream, in order. The stream is a name with an agent's id in it: any text. */
  readonly references: ReadonlyMap<string, readonly ReferenceRow[]>;
}

/** Names the facts that `indexBatch` needs to know of a batch, each once. */
export function factKeys(batch: PreparedBatch): readonly string[] {
  const keys = new Set<string>();
  for (const { entry } of batch.entries) {
    const { type, turnId, taskId } = entry;
    if (turnId !== undefined) keys.add(factKey.turn(turnId));
    if (taskId !== undefined) keys.add(factKey.task(taskId));
    if (type === "task") keys.add(factKey.task(entry.id));
    if (type === "attachment") keys.add(factKey.message(entry.messageId));
    if (asksOfAgent(entry)) keys.add(factKey.agent(entry.agent?.id));
  }
  return [...keys];
}

/**
 * Works out the index of a batch from the head and the facts. Pure, linear in the batch.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if head or facts are not what an `indexBatch` gave.
 */
export function indexBatch(input: IndexInput): IndexedBatch {
  return overStored(() => indexed(input));
}

function indexed({ head: text, facts: found, batch, rowEnds }: IndexInput): IndexedBatch {
  const head = headOf(text);
  const position = head.version;
  const facts = knownFacts(found);
  const streams = new Map<string, Reference[]>();
  for (const [index, prepared] of batch.entries.entries()) {
    const nth = checkpointBefore(head.version);
    const isCheckpoint = nth > 0 && head.version === positionOfCheckpoint(nth);
    if (isCheckpoint) facts.setCheckpoint(nth, headInLog(head));
    const bytes = prepared.bytes - VERSION_BYTES;
    const rowEnd = rowEnds?.[index] ?? head.version;
    const { reference, positions } = indexEntry(prepared.entry, { bytes, rowEnd }, head, facts);
    for (const { stream, isOwn, isGiven } of positions) {
      const ofStream = streams.get(stream) ?? [];
      streams.set(stream, ofStream);
      ofStream.push(isOwn || isGiven ? { ...reference, isOwn, isGiven } : reference);
    }
    head.version += 1;
  }
  return {
    position,
    version: head.version,
    head: JSON.stringify(head),
    facts: facts.changes(),
    references: new Map([...streams].map(([stream, all]) => [stream, packReferences(all)])),
  };
}

/** What of a head the log tells, as it is now. */
function headInLog({ replaced: _, ...head }: ThreadHead): ThreadHead {
  return JSON.parse(JSON.stringify(head));
}

/** Returns how many entries the thread of a head has; 0 for none. */
export function versionOf(head: string | undefined): number {
  return headOf(head).version;
}

/** The stored form carries `"v":1,` besides. */
const VERSION_BYTES = '"v":1,'.length;

function asksOfAgent({ type, taskId, agent }: HistoryEntry): boolean {
  if (type === "action" || type === "observation") return true;
  return agent !== undefined && (type === "task" || taskId === undefined);
}
