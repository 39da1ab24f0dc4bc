import type { HistoryEntry } from "@agent-history/core";

import type { MessageRun } from "./message-runs.ts";
import type { ParsedMessage } from "./parsed-message.ts";
import { placeCalls } from "./place-calls.ts";
import { indexOf } from "./wire-text.ts";

/**
 * Writes the entries of one answer, in order. A result that came late, in a later answer than its call, is put back among the
 * blocks that it came between.
 */
export function writeAnswer<Block>(
  run: MessageRun,
  write: (entry: HistoryEntry) => readonly Block[],
): readonly Block[] {
  const late = run.filter(isLateResult);
  if (late.length === 0) return run.flatMap(write);
  return placeCalls(
    run.filter((entry) => !isLateResult(entry)).flatMap(write),
    late.flatMap((entry) => write(entry).map((block) => ({ block, index: indexIn(entry) }))),
  );
}

/** Tells a result that its provider gave in a later answer than the call stands in: no message of results has it. */
export function isLateResult(entry: HistoryEntry): boolean {
  return indexIn(entry) !== undefined;
}

/** Remembers where in its answer a result stood. */
export function lateResult({ says, extra }: ParsedMessage, index: number): ParsedMessage {
  return { says, extra: { ...extra, late: index } };
}

function indexIn({ type, origin }: HistoryEntry): number | undefined {
  return type === "observation" ? indexOf(origin?.extra?.["late"]) : undefined;
}
