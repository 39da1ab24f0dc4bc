import type { ReductionRequest } from "@agent-history/core";

import { hasFixedIds } from "./entry-cache.ts";
import { fitPrompt } from "./fit-prompt.ts";
import type { FittedPrompt } from "./fit-prompt.ts";
import type { ManagedThread } from "./managed-thread.ts";
import type { PromptState } from "./prompt-state.ts";
import { readView } from "./read-view.ts";
import type { ShownView } from "./read-view.ts";
import type { ResolvedCall } from "./resolve-call.ts";

/** A prompt, and what it was made of. */
export interface FittedCall {
  readonly view: ShownView;
  readonly fitted: FittedPrompt;
}

/** Reads the whole view, and continues a plan as far as the view begins with what it was made for. */
export async function fitWhole(
  thread: ManagedThread,
  call: ResolvedCall,
  state: PromptState | undefined,
): Promise<FittedCall> {
  const view = await readView(thread, call);
  // Where a thread is shorter than it was, others may bear the ids of its entries.
  const earlier = state !== undefined && state.version <= view.read.version ? state : undefined;
  const request = requestOf(call, view);
  return { view, fitted: await fitPrompt(view, thread.reducer, { earlier, request }) };
}

/** What a reducer is asked for a call. */
export function requestOf(
  { query: { view = "thread" }, window, viewer, request: { tools, signal } }: ResolvedCall,
  { stored, read }: ShownView,
): ReductionRequest {
  const unchanging = new Set(hasFixedIds(read) ? stored : []);
  return {
    window,
    viewer,
    view,
    // A summary that was taken back may come again with other words.
    contentName: (entry) =>
      unchanging.has(entry) && entry.type !== "summary" ? entry.id : undefined,
    ...(tools && { tools }),
    ...(signal && { signal }),
  };
}
