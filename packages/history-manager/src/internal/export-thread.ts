import type { ReadResult } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import { hasFixedIds } from "./entry-cache.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { isPromptKey, managerStateKeys } from "./prompt-state.ts";
import { HEADER, writeLine } from "./thread-line.ts";

/** Writes a thread as JSON lines: the log, the summaries of every layer, the manager's state, and how many entries there were. */
export async function* exportThread(
  { options, log }: ManagedThread,
  { signal }: CallOptions = {},
): AsyncGenerator<string, void> {
  const { store, threadId } = options;
  const cancellation = signal && { signal };
  await log.settled();
  const read = await store.read(threadId, { originals: true, ...cancellation });
  yield writeLine(HEADER);
  for (const { position, reason } of read.problems) {
    yield writeLine({ kind: "problem", position, reason });
  }
  for (const [index, entry] of read.entries.entries()) {
    yield writeLine({ kind: "entry", entry, tokens: tokensAt(read, index) });
  }
  const layers = await store.listSummaries(threadId, cancellation);
  for (const summary of layers) yield writeLine({ kind: "compaction", summary });
  for (const key of await managerStateKeys({ store, threadId, signal })) {
    // A plan knows entries by their ids; an import does not know that some stood for others.
    if (isPromptKey(key) && !hasFixedIds(read)) continue;
    const stored = await store.getState(threadId, key, cancellation);
    if (stored !== undefined) yield writeLine({ kind: "state", key, value: stored.value });
  }
  yield writeLine({ kind: "end", entries: read.entries.length });
}

function tokensAt({ tokens }: ReadResult, index: number): readonly (readonly [string, number])[] {
  return [...tokens].flatMap(([counterId, counts]) => {
    const count = counts[index];
    return count === undefined ? [] : [[counterId, count] as const];
  });
}
