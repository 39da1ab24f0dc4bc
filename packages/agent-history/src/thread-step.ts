import { HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, HistoryStore, JsonValue, ReductionPlan } from "@agent-history/core";

/** Position of a durable run. Steps receive and return only this, so that the engine's history does not grow with the conversation. */
export interface ThreadReference {
  readonly threadId: string;
  /** The version of the thread. Each step expects it, and returns the next one. */
  readonly version: number;
}

/** Input of a step. */
export interface StepInput {
  readonly entries: readonly HistoryEntry[];
  /** The plan of an earlier step. Pass it to the fit, so that the prompt only grows until the window is full. */
  readonly previousPlan: ReductionPlan | undefined;
  /** The revision of the view `thread`. Pass it to `commitCompactions`. */
  readonly viewRevision: number;
}

/** Output of a step. */
export interface StepOutput {
  /** The entries to append. Their ids are derived from the step's when they are stored. */
  readonly entries: readonly HistoryEntry[];
  /** The plan of this step's fit, stored with the thread. */
  readonly plan?: ReductionPlan | undefined;
}

/**
 * Runs a step of a durable run on a thread, by reference. An engine may retry it, even while an earlier attempt still runs: its entries are appended once, identified by the step's id. `run` itself may
 * run again if its process ended before its entries were stored.
 *
 * @param stepId - Unique in the thread and the same for each attempt, e.g. the workflow's id and the step's number.
 * @param run - Receives the thread at that version; fits, calls the model or tools, and returns the new entries.
 * @throws `HistoryError` with code `VERSION_CONFLICT` if something other than this step has written to the thread.
 *
 * @example
 * ```ts
 * import { assistantMessage, fitToWindow, memoryStore, modelCounter, threadStep } from "agent-history";
 *
 * const store = memoryStore();
 * const counter = modelCounter("gpt-5");
 * const ask = async ({ entries, previousPlan }: Parameters<Parameters<typeof threadStep>[3]>[0]) => {
 *   const { plan } = fitToWindow(entries, { counter, window: { contextTokens: 8000 }, previousPlan });
 *   return { entries: [assistantMessage({ content: "Two." })], plan };
 * };
 * const begun = { threadId: "t1", version: 0 };
 * const next = await threadStep(store, begun, "run-1/0", ask);
 * next;
 * // => { threadId: "t1", version: 1 }
 * // Once more, after a crash.
 * await threadStep(store, begun, "run-1/0", ask);
 * // => { threadId: "t1", version: 1 }
 * ```
 */
export async function threadStep(
  store: HistoryStore,
  at: ThreadReference,
  stepId: string,
  run: (input: StepInput) => Promise<StepOutput>,
): Promise<ThreadReference> {
  const { threadId, version } = at;
  const seen = await store.read(threadId, { query: { view: "thread", clauses: [{}] } });
  if (seen.version !== version) return doneBefore(store, at, stepId);
  const kept = await store.getState(threadId, PLAN);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a fit validates a plan before it continues it
  const previousPlan = kept?.value as ReductionPlan | undefined;
  const { entries, plan } = await run({ ...seen, previousPlan });
  const named = entries.map((entry, index) => ({ ...entry, id: `${stepId}:${index}` }));
  try {
    const written = await store.append(threadId, named, { expectedVersion: version });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plan is JSON
    const value = plan as object as JsonValue | undefined;
    if (plan !== undefined) {
      await store.setState(threadId, PLAN, value, { expectedRevision: kept?.revision ?? 0 });
    }
    return { threadId, version: written.version };
  } catch (error) {
    // Another attempt of this step, or a later step, has already written.
    const isLate =
      isHistoryError(error, "VERSION_CONFLICT") || isHistoryError(error, "DUPLICATE_ID");
    if (!isLate) throw error;
    return doneBefore(store, at, stepId);
  }
}

const PLAN = "thread-step-plan";

/** Returns the position after an earlier attempt of the step, if there was one. */
async function doneBefore(
  store: HistoryStore,
  { threadId, version }: ThreadReference,
  stepId: string,
): Promise<ThreadReference> {
  const { entries, version: now } = await store.read(threadId, { originals: true });
  const count = entries.filter(({ id }) => id.startsWith(`${stepId}:`)).length;
  if (count > 0) return { threadId, version: version + count };
  throw new HistoryError(
    `Expected the thread at version ${version}, but it is at ${now}: another run has written to it. Begin again from its newest version.`,
    { code: "VERSION_CONFLICT", details: { expected: version, actual: now } },
  );
}
