import { HistoryError, isHistoryError } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type { ReductionProposal, ReductionSituation, ReductionStep } from "../reduction-step.ts";
import { countItem } from "./build-draft.ts";
import { currentEntry, itemsByEntry } from "./draft.ts";
import type { Because, Draft, DraftItem } from "./draft.ts";
import type { Request } from "./request.ts";
import { settle, throwIfAborted } from "./task.ts";
import type { Task } from "./task.ts";

type Edit = Extract<ReductionProposal, { readonly kind: "edit" }>;
type Summarise = Extract<ReductionProposal, { readonly kind: "summarise" }>;

/** Takes proposals, step by step, until no more is used than `target`; a last resort only until all fits. */
export function* runSteps(draft: Draft, request: Request, target: number): Task<void> {
  const itemOf = itemsByEntry(draft);
  const situation = {
    items: draft.items,
    budget: request.budget,
    question: draft.question,
    currentEntry: (entry: ReductionEntry): ReductionEntry => {
      const item = itemOf.get(entry);
      return item === undefined ? entry : currentEntry(item, entry);
    },
  };
  for (const step of request.steps) {
    const goal = step.isLastResort === true ? request.budget : target;
    if (draft.total <= goal) continue;
    yield* runStep(step, { draft, request, itemOf, step: step.name }, { situation, goal });
  }
}

function* runStep(
  step: ReductionStep,
  place: Place,
  { situation, goal }: { readonly situation: ReductionSituation; readonly goal: number },
): Task<void> {
  try {
    const proposals = yield* settle(step.propose(situation, place.request.options.signal));
    for (const proposal of proposals) {
      throwIfAborted(place.request.options.signal);
      yield* take(proposal, place);
      if (place.draft.total <= goal) return;
    }
  } catch (cause) {
    throw isHistoryError(cause) ? cause : stepFailed(step.name, "threw", { cause });
  }
}

interface Place {
  readonly draft: Draft;
  readonly request: Request;
  readonly itemOf: ReadonlyMap<ReductionEntry, DraftItem>;
  readonly step: string;
}

type ReductionEntry = DraftItem["entries"][number];

function* take(proposal: ReductionProposal, place: Place): Task<void> {
  const because = { step: place.step, reason: proposal.reason };
  switch (proposal.kind) {
    case "drop": {
      const [entry] = proposal.item.entries;
      const item = entry && place.itemOf.get(entry);
      if (item !== undefined) dropItem(place.draft, item, because);
      return;
    }
    case "edit":
      yield* takeEdit(proposal, because, place);
      return;
    case "summarise":
      yield* takeSummary(proposal, because, place);
  }
}

/** Drops an item that may be dropped. */
function dropItem(draft: Draft, item: DraftItem, because: Because): void {
  if (item.isProtected || item.isDropped) return;
  item.isDropped = true;
  item.because = because;
  draft.total -= item.tokens;
}

/** Makes an edit that saves tokens, on top of earlier edits of the entry. */
export function* takeEdit(
  { entry, edit }: Pick<Edit, "entry" | "edit">,
  because: Because,
  { draft, request, itemOf }: Omit<Place, "step">,
): Task<void> {
  const item = itemOf.get(entry);
  const mayEdit = item !== undefined && !item.isDropped && isEditable(item, entry);
  if (!mayEdit) return;
  const before = currentEntry(item, entry);
  const merged = { ...item.edits.get(entry)?.edit, ...edit };
  const after = editEntry(entry, merged);
  if (after === before) return;
  const saved = (yield* request.count(before)) - (yield* request.count(after));
  if (saved <= 0) return;
  item.edits.set(entry, { edit: merged, because });
  item.tokens -= saved;
  draft.total -= saved;
}

/** Protected items stay word for word, but for the results of the running exchange. */
function isEditable(item: DraftItem, entry: ReductionEntry): boolean {
  return (
    !item.isProtected || (item.isRunning && entry.type === "observation" && entry.pinned !== true)
  );
}

function* takeSummary(
  { items, summary }: Summarise,
  because: Because,
  { draft, request, itemOf }: Place,
): Task<void> {
  const covered = items.flatMap((item) => {
    const [entry] = item.entries;
    const known = entry && itemOf.get(entry);
    return known === undefined || known.isProtected || known.isDropped ? [] : [known];
  });
  const tokens = yield* request.count(summary);
  const saved = covered.reduce((sum, item) => sum + item.tokens, -tokens);
  if (saved < 0) {
    throw stepFailed(because.step, `put ${tokens} tokens in the place of ${tokens + saved}`);
  }
  for (const [index, item] of covered.entries()) {
    item.isDropped = true;
    item.because = because;
    item.isSummarised = true;
    item.summary = index === 0 ? { entry: summary, tokens } : undefined;
  }
  draft.total -= saved;
}

/** Takes dropped items back while they fit, the ones that `order` puts first. */
export function* refill(
  draft: Draft,
  request: Request,
  options: { readonly target: number; readonly order: readonly DraftItem[] },
): Task<void> {
  for (const item of options.order) {
    if (!item.isDropped || item.isSummarised || item.counted === undefined) continue;
    if (draft.total + item.tokens > options.target) continue;
    item.isDropped = false;
    item.because = undefined;
    draft.total += item.tokens;
  }
  yield* reachBeyondHorizon(draft, request, options.target);
}

/** Beyond the horizon, takes back what stands next to what is kept, while it fits. */
function* reachBeyondHorizon(draft: Draft, request: Request, target: number): Task<void> {
  const { items } = draft;
  let taken = 0;
  for (const order of [items.toReversed(), items]) {
    for (const [index, item] of order.entries()) {
      const isNext = order[index - 1]?.isDropped === false || order[index + 1]?.isDropped === false;
      if (item.counted !== undefined || !isNext) continue;
      const before = draft.total;
      yield* countItem(draft, item, request);
      if (draft.total > target) draft.total = before;
      else {
        item.isDropped = false;
        item.because = undefined;
        taken += 1;
      }
    }
  }
  if (taken > 0) yield* reachBeyondHorizon(draft, request, target);
}

function stepFailed(
  step: string,
  what: string,
  error: { readonly cause?: unknown } = {},
): HistoryError {
  const message = `The step ${JSON.stringify(step)} ${what}. Nothing was changed.`;
  return new HistoryError(message, { code: "STEP_FAILED", details: { step }, ...error });
}
