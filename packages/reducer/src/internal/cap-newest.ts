import { editEntry } from "../edit-entry.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { headAndTail } from "./propose-results.ts";
import { shortenItems } from "./shorten-items.ts";
import type { WorkingPlan, WorkingItem } from "./working-plan.ts";

/** Shortens the newest entry, where it is an answer or a report that alone has more than its share of the window. Uploads have a share of their own. */
export function* capNewest(draft: WorkingPlan, context: FitContext): MaybeAsync<void> {
  const newest = newestOf(draft);
  const room = context.maxResultTokens;
  if (newest?.isProtected === true && newest.tokens > room) {
    const because = { step: "cap-newest", reason: "larger than one entry may be" };
    yield* shortenItems({ draft, context }, [newest], { room, because });
  }
}

/** Shortens the newest entry further, where nothing else is left to give. */
export function* shrinkNewest(draft: WorkingPlan, context: FitContext): MaybeAsync<void> {
  const newest = newestToShorten(draft, context);
  if (newest === undefined) return;
  const room = newest.tokens + context.budget - draft.total;
  if (room >= newest.tokens) return;
  const because = { step: "cap-newest", reason: "nothing else is left to give" };
  yield* shortenItems({ draft, context }, [newest], { room, because });
}

/** Returns how many tokens less than it has now the newest entry needs in the smallest window that it fits: an answer may have to stand whole there. */
export function* spareOfNewest(draft: WorkingPlan, context: FitContext): MaybeAsync<number> {
  const newest = newestToShorten(draft, context);
  if (newest === undefined) return 0;
  let least = 0;
  for (const entry of newest.entries) {
    const edit = { ...newest.edits?.get(entry)?.edit, ...headAndTail(0) };
    least += yield* context.count(editEntry(entry, edit));
  }
  least = Math.min(least, newest.tokens);
  const { counted = newest.tokens } = newest;
  const share = context.maxResultTokens / Math.max(context.budget, 1);
  const cap = (draft.total - newest.tokens + least) * share;
  const isWhole = newest.entries[0]?.type === "assistant_message" && counted <= cap;
  return newest.tokens - (isWhole ? counted : least);
}

/** Finds the newest entry where it may be shortened below its cap: an answer only where it is above. */
export function newestToShorten(
  draft: WorkingPlan,
  { maxResultTokens }: FitContext,
): WorkingItem | undefined {
  const newest = newestOf(draft);
  const isAnswer = newest?.entries[0]?.type === "assistant_message";
  // One that no cut brings below its cap is not shortened yet.
  const isWhole = isAnswer && (newest.edits?.size ?? 0) === 0 && newest.tokens <= maxResultTokens;
  return isWhole ? undefined : newest;
}

/** Finds the newest entry where it may be shortened. */
function newestOf({ items }: WorkingPlan): WorkingItem | undefined {
  const newest = items.findLast(({ protectedAs }) => protectedAs === "newest entry");
  return newest?.entries.every(({ type }) => SHORTENED.has(type)) === true ? newest : undefined;
}

const SHORTENED: ReadonlySet<string> = new Set([
  "action",
  "observation",
  "assistant_message",
  "attachment",
  "final",
  "synthesis",
]);
