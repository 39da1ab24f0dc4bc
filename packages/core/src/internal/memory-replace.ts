import type { HistoryEntry } from "../history-entry.ts";
import { HistoryError } from "../history-error.ts";
import type { ExpectedVersion, HistoryStore } from "../history-store.ts";
import { sameJson } from "../same-json.ts";
import { MAX_NAME_LENGTH } from "../store-limits.ts";
import { soundBatch } from "./memory-batch.ts";
import { enter } from "./memory-handle.ts";
import type { Handle } from "./memory-handle.ts";
import {
  addToLog,
  asJson,
  coveredBy,
  duplicateId,
  rememberTokens,
  requireVersion,
  versionOf,
} from "./memory-thread.ts";
import type { MemoryThread } from "./memory-thread.ts";

/** How many operations are remembered for each thread. */
const MAX_OPERATIONS = 1000;

type Replacement = Parameters<HistoryStore["replaceSuffix"]>[1];

/** Makes `replaceSuffix`. */
export function replaceVerb(handle: Handle): Pick<HistoryStore, "replaceSuffix"> {
  return {
    replaceSuffix: async (threadId, options) => {
      const threads = enter(handle, options.signal);
      requireOptions(options);
      const { replacement, operationId, tokens = new Map<string, readonly number[]>() } = options;
      const batch = soundBatch(replacement, tokens);
      const thread = threads.require(threadId);
      const content = asJson([options.from, ...batch]);
      const known = thread.operations.get(operationId);
      if (known !== undefined) return answerAgain(known, content, operationId);
      const position = requireSuffix(thread, options.from, options.expectedVersion);
      const stays = coveredBy(thread, position);
      for (const { id } of batch) {
        const isTaken = (thread.entryIndexes.get(id) ?? Infinity) < position;
        if (isTaken || stays.some((overlay) => overlay.id === id)) {
          throw duplicateId(id, "belongs to what stays of the thread");
        }
      }
      cutLog(thread, position);
      thread.overlays.length = 0;
      for (const overlay of stays) thread.overlays.push(overlay);
      addToLog(thread, batch);
      rememberTokens(thread, batch, tokens);
      const version = versionOf(thread);
      remember(thread, operationId, { content, version });
      return { version };
    },
  };
}

function requireOptions({ from, operationId }: Replacement): void {
  if (typeof from !== "string") throw invalid("from", "the id of an entry");
  if (typeof operationId !== "string" || operationId === "") {
    throw invalid("operationId", "a non-empty string");
  }
  if (operationId.length <= MAX_NAME_LENGTH) return;
  const actual = operationId.length;
  throw new HistoryError(
    `Expected at most ${MAX_NAME_LENGTH} characters in \`operationId\`, got ${actual}. Nothing was written.`,
    { code: "TOO_LARGE", details: { option: "operationId", limit: MAX_NAME_LENGTH, actual } },
  );
}

function invalid(option: string, expected: string): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}

function answerAgain(
  { content, version }: { readonly content: unknown; readonly version: number },
  given: unknown,
  operationId: string,
): { readonly version: number } {
  if (sameJson(content, given)) return { version };
  throw new HistoryError(
    `The operation id ${JSON.stringify(operationId)} stands for a replacement of another content. Nothing was written.`,
    { code: "DUPLICATE_ID", details: { operationId } },
  );
}

function requireSuffix(thread: MemoryThread, from: string, expected: ExpectedVersion): number {
  requireVersion(thread, expected);
  const position = thread.entryIndexes.get(from);
  if (position !== undefined) return position;
  throw new HistoryError("Expected `from` to be the id of an entry of the thread.", {
    code: "NOT_FOUND",
    details: { entryId: from },
  });
}

/** Takes entries off the end of the log. What they were stays known. */
function cutLog(thread: MemoryThread, position: number): void {
  const nth = thread.cuts.push(position);
  const gone: readonly HistoryEntry[] = thread.log.splice(position);
  for (const entry of gone) {
    thread.entryIndexes.delete(entry.id);
    thread.replaced.set(entry.id, [...(thread.replaced.get(entry.id) ?? []), { nth, entry }]);
  }
  thread.changes += gone.length + 1;
  for (const [view, revision] of thread.viewRevisions) thread.viewRevisions.set(view, revision + 1);
}

function remember(
  { operations }: MemoryThread,
  id: string,
  operation: { readonly content: unknown; readonly version: number },
): void {
  operations.set(id, operation);
  for (const oldest of operations.keys()) {
    if (operations.size <= MAX_OPERATIONS) return;
    operations.delete(oldest);
  }
}
