import { isObject } from "@agent-history/core";
import type { JsonValue, ReductionPlan } from "@agent-history/core";

import type { ManagedThread } from "./managed-thread.ts";
import type { ResolvedCall } from "./resolve-call.ts";
import { stateKey, updateState } from "./thread-state.ts";
import type { StoredState } from "./thread-state.ts";

/** What the next call of an agent continues: small JSON in the store, so that any process can make the call. */
export interface PromptState {
  readonly plan: ReductionPlan;
  /** The revision of the view that the plan was made for. */
  readonly viewRevision: number;
  /** Where the next call starts reading. Missing if it needs the whole view. */
  readonly start?: ReadingStart | undefined;
}

/** The plan drops whole turns up to an entry: they are not read again. */
export interface ReadingStart {
  /** The id of the last dropped entry. */
  readonly after: string;
  /** The ids of what the plan keeps before it. */
  readonly ids: readonly string[];
}

/** A state as it was read, with its revision for the next write. */
export interface LoadedPrompt {
  readonly state: PromptState | undefined;
  readonly stored: StoredState;
}

/** Reads what a call continues. Returns no state if it is damaged; the plan checks itself. */
export async function loadPrompt(
  { options: { store, threadId } }: ManagedThread,
  { slot, request: { signal } }: ResolvedCall,
): Promise<LoadedPrompt> {
  const stored = await store.getState(threadId, keyOf(slot), signal && { signal });
  return { state: isPromptState(stored?.value) ? stored.value : undefined, stored };
}

/** Stores what the next call of a slot continues, unless another process stored a plan meanwhile, which then stays. */
export async function savePrompt(
  { options: { store, threadId } }: ManagedThread,
  { slot, request: { signal } }: ResolvedCall,
  { stored }: LoadedPrompt,
  state: PromptState,
): Promise<void> {
  const text = JSON.stringify(state);
  if (stored !== undefined && JSON.stringify(stored.value) === text) return;
  const value: JsonValue = JSON.parse(text);
  await updateState(
    { store, threadId, signal },
    keyOf(slot),
    (found) => (found?.revision === stored?.revision ? value : undefined),
    { stored },
  );
}

function isPromptState(value: unknown): value is PromptState {
  if (!isObject(value) || typeof value["viewRevision"] !== "number") return false;
  const { plan, start } = value;
  const isPlan =
    isObject(plan) && Array.isArray(plan["decisions"]) && Array.isArray(plan["hashes"]);
  const isStart =
    start === undefined ||
    (isObject(start) && typeof start["after"] === "string" && Array.isArray(start["ids"]));
  return isPlan && isStart;
}

function keyOf(slot: string): string {
  return stateKey(`prompt:${slot}`);
}
