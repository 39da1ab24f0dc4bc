import { throwIfAborted } from "@agent-history/core";
import type { ReadResult } from "@agent-history/core";

import type { ModelCallCounts, ModelCallHistory, ModelCallRequest } from "../model-call.ts";
import type { Place } from "../place.ts";
import { fitPrompt } from "./fit-prompt.ts";
import type { FittedPrompt } from "./fit-prompt.ts";
import { inSpan } from "./in-span.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { loadPrompt, savePrompt } from "./prompt-state.ts";
import type { PromptState } from "./prompt-state.ts";
import { readView } from "./read-view.ts";
import { resolveCall } from "./resolve-call.ts";

/** Builds a prompt: read, clean, fit, and keep the plan for the next. */
export async function historyForModelCall(
  thread: ManagedThread,
  place: Place,
  request: ModelCallRequest,
): Promise<ModelCallHistory> {
  return inSpan("agent_history.model_call", async (span) => {
    const { store, threadId, reducer } = thread.options;
    const { tools, signal } = request;
    throwIfAborted(signal);
    const call = resolveCall(thread.options, place, request);
    const { query, window, viewer, slot } = call;
    const states = { store, threadId, signal };
    const { state, stored } = await loadPrompt(states, slot);
    const { entries, stored: unchanging, read } = await readView(thread, call);
    const { version } = read;
    const { view = "thread" } = query;
    const fitted = await fitPrompt(entries, reducer, {
      earlier: isProven(state, read) ? state : undefined,
      request: {
        window,
        viewer,
        view,
        // A summary that was taken back may come again with other words.
        contentName: (entry) =>
          unchanging.has(entry) && entry.type !== "summary" ? entry.id : undefined,
        ...(tools && { tools }),
        ...(signal && { signal }),
      },
    });
    // A thread that does not exist yet has no state either.
    if (version > 0) {
      await savePrompt(states, slot, { stored, state: { ...fitted.state, version } });
    }
    const made = resultOf(fitted, read);
    span.setAttributes({
      "agent_history.entries.before": made.counts.viewEntries,
      "agent_history.entries.after": made.counts.shownEntries,
      "agent_history.tokens.before": made.counts.viewTokens,
      "agent_history.tokens.after": made.counts.shownTokens,
    });
    return made;
  });
}

/** Tells whether the entries of a plan may be known by their ids: where a thread is shorter than it was, others may bear them. */
function isProven(state: PromptState | undefined, { version }: ReadResult): boolean {
  return state !== undefined && state.version <= version;
}

function resultOf(
  { reduction: { entries, plan }, isContinued }: FittedPrompt,
  { problems }: ReadResult,
): ModelCallHistory {
  const counts: ModelCallCounts = {
    viewEntries: plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0),
    shownEntries: entries.length,
    viewTokens: plan.decisions.reduce(
      (sum, { tokensBefore }) => sum + tokensBefore,
      plan.requestTokens,
    ),
    shownTokens: plan.totalTokens,
    isContinued,
  };
  return { entries, plan, counts, problems };
}
