import { throwIfAborted } from "@agent-history/core";
import type { EntryEdit } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type {
  ReductionItem,
  ReductionProposal,
  ReductionSituation,
  ReductionStep,
} from "../reduction-step.ts";
import { dropOpening } from "./drop-held.ts";
import { dropItem, dropWhole, mayDrop, takeBack } from "./drop-items.ts";
import type { FitContext } from "./fit-context.ts";
import { waitFor } from "./maybe-async.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { condenseOpening } from "./opening.ts";
import { namedFailure, stepFailed } from "./step-failed.ts";
import { currentEntry, setEdit, setSize, sizeOf } from "./working-plan.ts";
import type { Because, Edited, WorkingPlan, WorkingItem } from "./working-plan.ts";

type Edit = Extract<ReductionProposal, { readonly kind: "edit" }>;
type Summarize = Extract<ReductionProposal, { readonly kind: "summarize" }>;

/** Takes proposals, step by step, until no more is used than `target`; a last resort only until all fits. */
export function* runSteps(
  draft: WorkingPlan,
  context: FitContext,
  target: number,
): MaybeAsync<void> {
  const { items, itemOf, question } = draft;
  const { budget } = context;
  const current = (entry: ReductionEntry): ReductionEntry => {
    const item = itemOf.get(entry);
    return item === undefined ? entry : currentEntry(item, entry);
  };
  const tokensOf = (entry: ReductionEntry): number => {
    const item = itemOf.get(entry);
    return item === undefined ? 0 : sizeOf(item, entry);
  };
  for (const step of context.steps()) {
    const isLast = step.isLastResort === true;
    const goal = isLast ? budget : target;
    if (isLast) dropOpening(draft, context);
    const excess = draft.total - goal;
    if (excess <= 0) continue;
    const situation = { items, budget, excess, question, currentEntry: current, tokensOf };
    yield* runStep(step, { draft, context, step: step.name }, { situation, goal });
  }
}

function* runStep(
  step: ReductionStep,
  scope: StepScope,
  { situation, goal }: { readonly situation: ReductionSituation; readonly goal: number },
): MaybeAsync<void> {
  const { signal } = scope.context.options;
  try {
    const proposals = yield* waitFor(step.propose(situation, signal));
    for (const proposal of proposals) {
      throwIfAborted(signal);
      yield* take(proposal, scope);
      if (scope.draft.total <= goal) return;
    }
  } catch (cause) {
    throwIfAborted(signal);
    throw namedFailure(step.name, cause);
  }
}

interface StepScope {
  readonly draft: WorkingPlan;
  readonly context: FitContext;
  readonly step: string;
}

type ReductionEntry = WorkingItem["entries"][number];

function* take(proposal: ReductionProposal, scope: StepScope): MaybeAsync<void> {
  const because = { step: scope.step, reason: proposal.reason };
  switch (proposal.kind) {
    case "drop": {
      const item = workingItemOf(scope.draft, proposal.item);
      if (item?.held === "opening") yield* condenseOpening(scope, item.unit, because);
      else if (item !== undefined) dropWhole(scope.draft, item, because);
      return;
    }
    case "edit":
      yield* takeEdit(proposal, because, scope);
      return;
    case "summarize":
      yield* takeSummary(proposal, because, scope);
      return;
    case "skip":
      scope.draft.skipped.push(because);
  }
}

function workingItemOf(
  draft: WorkingPlan,
  { entries: [entry] }: ReductionItem,
): WorkingItem | undefined {
  return entry && draft.itemOf.get(entry);
}

/** Makes an edit that saves tokens, on top of earlier edits of the entry, where its item may be edited. */
export function* takeEdit(
  { entry, edit }: Pick<Edit, "entry" | "edit">,
  because: Because,
  { draft, context }: Omit<StepScope, "step">,
): MaybeAsync<void> {
  const item = draft.itemOf.get(entry);
  const mayEdit = item !== undefined && !item.isDropped && isEditable(item, entry);
  if (mayEdit) yield* editItem(item, { entry, edit, because }, { draft, context });
}

/** Makes an edit of an item's entry, on top of earlier ones, where that saves tokens. */
function* editItem(
  item: WorkingItem,
  { entry, edit, because }: Pick<Edit, "entry" | "edit"> & { readonly because: Because },
  { draft, context }: Omit<StepScope, "step">,
): MaybeAsync<void> {
  const form = editedForm(item, entry, edit);
  if (form === undefined) return;
  const size = context.countNow(form.entry) ?? (yield* context.count(form.entry));
  takeForm(draft, item, entry, { edit: form.edit, because, size });
}

/** What an entry becomes by an edit on top of earlier ones; nothing where it stays as it is. */
export function editedForm(
  item: WorkingItem,
  entry: ReductionEntry,
  edit: EntryEdit,
): { readonly entry: ReductionEntry; readonly edit: EntryEdit } | undefined {
  const made = item.edits?.get(entry)?.edit;
  // Of what is cleared nothing is left to give.
  if (made?.clear === true && edit.clear !== undefined && edit.clear === made.clear) return;
  const before = currentEntry(item, entry);
  const merged = { ...made, ...edit };
  const after = editEntry(entry, merged);
  return after === before ? undefined : { entry: after, edit: merged };
}

/** Takes what an entry became, where it has fewer tokens. */
export function takeForm(
  draft: WorkingPlan,
  item: WorkingItem,
  entry: ReductionEntry,
  { edit, because, size }: Edited & { readonly size: number },
): void {
  if (size >= sizeOf(item, entry)) return;
  setEdit(item, entry, { edit, because });
  setSize(draft, item, entry, size);
}

/** Protected items stay word for word, but for results that are not pinned themselves: of the running exchange, and of one with a pin. */
export function isEditable(item: WorkingItem, entry: ReductionEntry): boolean {
  return !item.isProtected || (entry.type === "observation" && entry.pinned !== true);
}

function* takeSummary(
  { items, summary }: Summarize,
  because: Because,
  { draft, context }: StepScope,
): MaybeAsync<void> {
  const before = draft.total;
  const given = new Set(items.flatMap((item) => workingItemOf(draft, item) ?? []));
  const units = [...new Set([...given].map(({ unit }) => unit))];
  const isGiven = (mate: WorkingItem): boolean => given.has(mate) || !mayDrop(mate);
  const whole = new Set(units.filter((unit) => unit.holdsQuestion || unit.items.every(isGiven)));
  // Of a request and its answer both become part of the summary, or none.
  const covered = [...given].filter(
    (item) => mayDrop(item) && (item.mayGoFirst || whole.has(item.unit)),
  );
  for (const item of covered) dropItem(draft, item, because);
  const tokensAfter = yield* context.count(summary);
  const saved = before - draft.total;
  if (saved < tokensAfter && covered.length < given.size) {
    for (const item of covered) takeBack(draft, item);
    draft.skipped.push({ ...because, reason: "a summary of parts of turns that saves nothing" });
    return;
  }
  if (saved < tokensAfter) {
    throw stepFailed(because.step, `replaced ${saved} tokens by ${tokensAfter}`);
  }
  const at = covered[0]?.entries[0];
  for (const item of covered) {
    item.summary = { at, action: { kind: "summarize", summary }, tokensAfter };
  }
  draft.total += tokensAfter;
}
