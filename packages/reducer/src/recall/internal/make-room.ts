import type { Task } from "../../internal/task.ts";
import type { ContinuedFit, Planned } from "../../recall.ts";
import { tokensOf } from "./block-lists.ts";
import type { Recalling, Shown } from "./block-lists.ts";

/** Adds what is new beside blocks, where all has room. */
export function* addBeside(
  shown: Shown,
  { fit, planner }: Recalling,
  budget: number,
): Task<Planned | undefined> {
  const request = { ...fit.request, budget: budget - tokensOf(shown) };
  return yield* planner.append({ ...fit, request });
}

/** Makes room down to a watermark, oldest first. Nothing where that cannot be. */
export function* cutTo(
  { budget, lowTarget }: Pick<ContinuedFit["request"], "budget" | "lowTarget">,
  { fit, planner }: Recalling,
): Task<Planned | undefined> {
  const bare = unscored(fit);
  const request = { ...bare.request, budget, lowTarget: Math.floor(lowTarget) };
  try {
    return yield* planner.cut({ ...bare, request });
  } catch (error) {
    if (planner.isTooSmall(error)) return undefined;
    throw error;
  }
}

/** A fit whose cuts ask no scorer: what they drop is quoted again where it is asked for. */
export function unscored(fit: ContinuedFit): ContinuedFit {
  const { scorer, ...options } = fit.request.options;
  return { ...fit, request: { ...fit.request, options } };
}

/** Tokens of the prompt without blocks, if nothing were cut. */
export function* uncutTokens({
  continuation: { plan, entries, planned },
  request,
}: ContinuedFit): Task<number> {
  let used = plan.totalTokens - plan.requestTokens;
  for (const entry of entries.slice(planned)) used += yield* request.count(entry);
  return used;
}
