import { throwIfAborted } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { fitPrompt } from "./fit-prompt.ts";
import type { FittedCall } from "./fit-whole.ts";
import { requestOf } from "./fit-whole.ts";
import { isForLater, laidViews } from "./laid-views.ts";
import { isGone } from "./lay-out.ts";
import type { ManagedThread } from "./managed-thread.ts";
import type { PromptState } from "./prompt-state.ts";
import { isProvable, readBefore, readSince } from "./read-since.ts";
import type { ProvenState, ViewParts } from "./read-since.ts";
import type { ResolvedCall } from "./resolve-call.ts";
import { showParts } from "./show-parts.ts";
import type { PartedView, ShowingList } from "./show-parts.ts";
import { unreadEntries } from "./unread-entries.ts";

/** This many entries more are read where a fit looks at what its plan dropped. After the last of them the view is read whole. */
const PAGES = [32, 256];

/**
 * Continues a plan with what it keeps and what came since. The fit runs over the view in its full length, in which something stands for
 * what was not read: where it looks at that, more is read and it runs again. Nothing where that is not enough to say what the whole view would give;
 * `looks-through` where it asks for all of it, as a scorer does.
 */
export async function fitSince(
  thread: ManagedThread,
  call: ResolvedCall,
  state: PromptState,
): Promise<FittedCall | "looks-through" | undefined> {
  if (!isProvable(state, call, thread)) return undefined;
  let parts = await readSince(thread, call, state);
  const views = laidViews(thread.options.store);
  let earlier = views.take(state.plan);
  for (const count of [...PAGES, 0]) {
    if (parts === undefined) return undefined;
    const unread = earlier?.unread ?? unreadEntries();
    const list = { unread, earlier: earlier?.entries };
    earlier = undefined;
    const made = await tryToFit(parts, { thread, call, state }, list);
    const looked = unread.lookedAt();
    if (looked === undefined) {
      if (made !== undefined && isToBeAddedTo(made, parts, state)) {
        views.keep(made.fitted.state.plan, { entries: made.view.laid, unread });
      }
      return made;
    }
    if (count === 0 || isRead(parts, looked.before, count)) break;
    parts = await readBefore(thread, call, { parts, ...looked, count });
  }
  return "looks-through";
}

/** Returns whether the list of a call serves the next one, too. One without a gap is what the caller is given. */
function isToBeAddedTo(
  { view, fitted }: FittedParts,
  parts: ViewParts,
  state: ProvenState,
): boolean {
  const { isContinued, reduction } = fitted;
  const isGiven =
    reduction.entries === view.laid || !state.plan.decisions.some(({ action }) => isGone(action));
  return isContinued && !isGiven && parts.dropped.size === 0 && isForLater(state.plan);
}

/** Returns whether reading this many more before an entry would read nothing new. */
function isRead({ dropped }: ViewParts, before: string | undefined, count: number): boolean {
  return (dropped.get(before)?.length ?? 0) >= count;
}

/** A prompt that was made of parts of its view. */
interface FittedParts extends FittedCall {
  readonly view: PartedView;
}

async function tryToFit(
  parts: ViewParts,
  given: {
    readonly thread: ManagedThread;
    readonly call: ResolvedCall;
    readonly state: ProvenState;
  },
  list: ShowingList,
): Promise<FittedParts | undefined> {
  const { thread, call, state } = given;
  const isUnread = (entry: HistoryEntry): boolean => list.unread.has(entry);
  try {
    const view = await showParts(parts, given, list);
    if (view === undefined) return undefined;
    const request = requestOf(call, view);
    const fitted = await fitPrompt(view, thread.reducer, { earlier: state, request });
    // A reducer of the user's own may pass on what it has not looked at.
    return fitted.reduction.entries.some(isUnread) ? undefined : { view, fitted };
  } catch {
    throwIfAborted(call.request.signal);
    // What fails without the rest of the view may not fail with it.
    return undefined;
  }
}
