import type { HistoryEntry, PlannedRecall, ReductionPlan } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { editEntry } from "@agent-history/reducer";

import type { WalkedEntry } from "./walk-plan.ts";

/** A part of a prompt, in its order. */
export interface SentPart {
  /** The same key has the same bytes. */
  readonly key: string;
  readonly tokens: number;
  /** The entry that it stands at. */
  readonly entryId: string;
  readonly what: string;
}

const hashes = new WeakMap<HistoryEntry, string>();

/** An id may stand for something else in the next request: instructions that are written for each call, an entry that was edited. */
function hashOf(entry: HistoryEntry): string {
  const hash = hashes.get(entry) ?? contentHash(entry);
  hashes.set(entry, hash);
  return hash;
}

/** Lists what a plan sends: entries, what is left of them, summaries and blocks of quotes. */
export function sentParts(
  plan: ReductionPlan,
  steps: readonly WalkedEntry[],
  tokensOf: (step: WalkedEntry) => number,
): readonly SentPart[] {
  const blocks = new Map<string, PlannedRecall[]>();
  for (const block of [...(plan.head ? [plan.head] : []), ...(plan.recalls ?? [])]) {
    blocks.set(block.before, [...(blocks.get(block.before) ?? []), block]);
  }
  const parts: SentPart[] = [];
  const summaries = new Set<string>();
  for (const step of steps) {
    const { entry, decision } = step;
    const entryId = entry.id;
    const add = (key: string, tokens: number, what: string): void =>
      void parts.push({ key, tokens, entryId, what });
    for (const { id, quotes, tokens } of blocks.get(entryId) ?? []) {
      add(`quotes ${id} ${quotes.join(" ")}`, tokens, "other old entries are quoted");
    }
    const { action } = decision;
    const left = action.kind === "edit" ? editEntry(entry, action.edit) : entry;
    if (action.kind === "keep" || (action.kind === "edit" && left === entry)) {
      add(`whole ${entryId} ${hashOf(entry)}`, tokensOf(step), "an entry stands here that did not");
    } else if (action.kind === "edit") {
      add(`part ${JSON.stringify(left)}`, tokensOf(step), "the entry was shortened");
    }
    if (action.kind === "summarize" && !summaries.has(action.summary.id)) {
      summaries.add(action.summary.id);
      add(`summary ${action.summary.id}`, decision.tokensAfter, "a summary stands here");
    }
  }
  return parts;
}
