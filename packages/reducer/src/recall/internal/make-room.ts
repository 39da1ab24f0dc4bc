import type { FitContext } from "../../internal/fit-context.ts";
import type { MaybeAsync } from "../../internal/maybe-async.ts";
import type { ContinuedFit, Planned } from "../../recall.ts";
import { tokensOf, usedBy } from "./block-lists.ts";
import type { Recalling, Shown } from "./block-lists.ts";
import { keptWhole } from "./kept-whole.ts";

/** Adds what is new beside blocks, where all has room; of a result that alone is too large, what it may have. */
export function* addBeside(
  shown: Shown,
  recalling: Recalling,
  most: number,
): MaybeAsync<Planned | undefined> {
  const { fit, planner } = recalling;
  const { continuation, context } = fit;
  const { entries, planned } = continuation;
  const budget = most - tokensOf(shown);
  const added = yield* planner.append({ ...fit, context: { ...context, budget } });
  // A quotation may have grown, though nothing is new.
  if (added !== undefined && usedBy(added) <= budget) return added;
  let capped: Planned | undefined;
  for (const entry of entries.slice(planned)) {
    if (entry.type !== "observation") continue;
    if ((yield* context.count(entry)) <= context.maxResultTokens) continue;
    capped = yield* cutTo({ budget, lowTarget: budget }, recalling);
    break;
  }
  if (capped === undefined) return undefined;
  // Nothing else may change: what stands whole again may be quoted.
  const isSame = (kind?: string): boolean => {
    const kept = keptWhole(continuation, kind);
    const now = keptWhole(capped, kind);
    return entries.slice(0, planned).every((entry) => kept.has(entry) === now.has(entry));
  };
  return isSame() && isSame("edit") ? capped : undefined;
}

interface Room extends Pick<FitContext, "budget" | "lowTarget"> {
  /** Room is made where more is used. Default: `budget`. */
  readonly cutAbove?: number;
}

/** Makes room down to a watermark, oldest first. Nothing where that cannot be. */
export function* cutTo(
  { budget, lowTarget, cutAbove = budget }: Room,
  { fit, planner }: Recalling,
): MaybeAsync<Planned | undefined> {
  const bare = unscored(fit);
  const context = { ...bare.context, budget, cutAbove, lowTarget: Math.floor(lowTarget) };
  try {
    return yield* planner.cut({ ...bare, context });
  } catch (error) {
    if (planner.isTooSmall(error)) return undefined;
    throw error;
  }
}

/** A fit whose cuts ask no scorer: what they drop is quoted again where it is asked for. */
export function unscored(fit: ContinuedFit): ContinuedFit {
  const { scorer, ...options } = fit.context.options;
  return { ...fit, context: { ...fit.context, options } };
}

/** Tokens of the prompt without blocks, if nothing were cut. */
export function* uncutTokens({ continuation, context }: ContinuedFit): MaybeAsync<number> {
  let used = usedBy(continuation);
  for (const entry of continuation.entries.slice(continuation.planned))
    used += yield* context.count(entry);
  return used;
}
