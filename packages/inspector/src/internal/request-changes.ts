import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { editEntry } from "@agent-history/reducer";
import { priceOf } from "@agent-history/transcripts";
import type { PriceTable } from "@agent-history/transcripts";

import type { RequestChange } from "../inspector-data.ts";
import type { DraftCall, WalkedEntry } from "./draw-call.ts";

/** A part of a prompt. */
export interface SentPart {
  /** Parts with equal keys have equal bytes. */
  readonly key: string;
  readonly tokens: number;
  /** The entry at its position. */
  readonly entryId: string;
  readonly what: string;
}

const hashes = new WeakMap<HistoryEntry, string>();

/** Hashes the content of an entry, because an id may have other content in the next request: instructions that are rebuilt for each call, an edited entry. */
function hashOf(entry: HistoryEntry): string {
  const hash = hashes.get(entry) ?? contentHash(entry);
  hashes.set(entry, hash);
  return hash;
}

/** Lists the parts that a plan sends: entries, shortened entries, summaries and blocks of quotes. */
export function sentParts(
  plan: ReductionPlan,
  steps: readonly WalkedEntry[],
  tokensOf: (step: WalkedEntry) => number,
): readonly SentPart[] {
  const blocks = [plan.head, ...(plan.recalls ?? [])];
  const questions = new Set(blocks.map((block) => block?.before));
  const parts: SentPart[] = [];
  const summaries = new Set<string>();
  for (const step of steps) {
    const { entry, decision } = step;
    const entryId = entry.id;
    const add = (key: string, tokens: number, what: string): void =>
      void parts.push({ key, tokens, entryId, what });
    for (const block of questions.has(entryId) ? blocks : []) {
      if (block?.before !== entryId) continue;
      const { id, quotes, tokens } = block;
      add(`quotes ${id} ${quotes.join(" ")}`, tokens, "different old entries are quoted");
    }
    const { action } = decision;
    const left = action.kind === "edit" ? editEntry(entry, action.edit) : entry;
    if (action.kind === "keep" || (action.kind === "edit" && left === entry)) {
      add(`whole ${entryId} ${hashOf(entry)}`, tokensOf(step), "an entry was inserted here");
    } else if (action.kind === "edit") {
      add(`part ${JSON.stringify(left)}`, tokensOf(step), "the entry was shortened");
    }
    if (action.kind === "summarize" && !summaries.has(action.summary.id)) {
      summaries.add(action.summary.id);
      add(
        `summary ${action.summary.id}`,
        decision.tokensAfter,
        "a summary replaced earlier entries",
      );
    }
  }
  return parts;
}

/** Compares each call with the previous one of its agent and purpose; `rowOf` finds the row of an entry of either request. */
export function requestChanges(
  drafts: readonly DraftCall[],
  rowOf: (entryId: string, drafts: readonly DraftCall[]) => number | undefined,
  prices: PriceTable,
): readonly (RequestChange | undefined)[] {
  const latest = new Map<string, number>();
  return drafts.map((draft, index) => {
    if (draft.isOther) return undefined;
    const { agent, purpose, plan, model, providerReason } = draft.call;
    const key = JSON.stringify([agent?.id ?? plan.viewer?.agentId, purpose]);
    const against = latest.get(key) ?? -1;
    latest.set(key, index);
    const before = drafts[against];
    if (before === undefined) return undefined;
    const { sameTokens, entryId, what } = compareRequests(before, draft);
    const previousTokens = before.call.plan.totalTokens;
    const changedTokens = Math.min(previousTokens, plan.totalTokens) - sameTokens;
    const isBroken = entryId !== undefined;
    const sentAgainTokens = isBroken ? Math.max(0, changedTokens) : 0;
    const price = model === undefined ? undefined : priceOf(model, prices);
    const { stoppedBy } = plan.continued ?? {};
    const avoided = plan.continued ? AVOIDS[stoppedBy ?? ""] : "pass the plan of the previous call";
    return {
      against,
      sameTokens,
      previousTokens,
      firstRow: isBroken ? rowOf(entryId, [before, draft]) : undefined,
      what,
      reasons: [
        ...(isBroken && stoppedBy !== undefined ? [`plan: ${STOPPED[stoppedBy]}`] : []),
        ...(providerReason === undefined ? [] : [`provider: ${providerReason}`]),
      ],
      avoid: isBroken ? avoided : undefined,
      sentAgainTokens,
      costUsd: price && (sentAgainTokens * (price.input - price.cacheRead)) / 1_000_000,
    };
  });
}

/** The first difference between a request and the previous one; `entryId` is missing if it only appends. */
interface RequestDifference {
  readonly sameTokens: number;
  readonly entryId?: string | undefined;
  readonly what: string;
}

/** Finds the first part of a request that differs from the previous request. Linear. */
function compareRequests(before: DraftCall, now: DraftCall): RequestDifference {
  const { requestTokens } = now.call.plan;
  if (before.call.plan.requestTokens !== requestTokens) {
    const what = "the tools or their schemas changed";
    return { sameTokens: 0, entryId: now.parts[0]?.entryId, what };
  }
  let index = 0;
  let sameTokens = requestTokens;
  while (index < before.parts.length && before.parts[index]?.key === now.parts[index]?.key) {
    sameTokens += now.parts[index]?.tokens ?? 0;
    index += 1;
  }
  if (index === before.parts.length) return { sameTokens, what: "appends to the previous request" };
  const [was, is] = [before.parts[index], now.parts[index]];
  const isGone = !now.parts.some(({ key }) => key === was?.key);
  const isSameEntry = was?.entryId === is?.entryId;
  if (isSameEntry && [was, is].every((part) => part?.key.startsWith("whole ")))
    return { sameTokens, entryId: is?.entryId, what: "the content of the entry changed" };
  const what =
    isSameEntry || !isGone
      ? (is?.what ?? "the prompt ends earlier")
      : "the entry is no longer sent unchanged";
  return { sameTokens, entryId: (isGone ? was : (is ?? was))?.entryId, what };
}

/** Why a plan does not continue the previous one, as text for the user. */
const STOPPED: Readonly<
  Record<NonNullable<NonNullable<ReductionPlan["continued"]>["stoppedBy"]>, string>
> = {
  change: "a kept entry was edited, inserted, deleted or moved",
  cut: "the window was full, so the fit made room",
  "dropped-needed": "a dropped entry must be shown again",
  counter: "another counter",
  window: "another window",
  view: "another view",
  viewer: "another viewer",
  request: "other tools",
  pairing: "calls and results are paired differently",
  "duplicate-id": "an id appears twice",
  damaged: "the previous plan is damaged or from another version",
  recall: "nothing is quoted anymore",
};

/** What would have let a plan continue the previous one, as text for the user. */
const AVOIDS: Readonly<Partial<Record<string, string>>> = {
  cut: "use a larger window, or shorten results",
  change: "leave sent messages unchanged",
  request: "use the same tools in each call",
  window: "use the same window in each call",
};
