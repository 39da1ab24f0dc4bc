import type { JsonValue, ReductionPlan } from "@agent-history/core";

import { isRecord, isTextList, stateKey, updateState } from "./thread-state.ts";
import type { StateThread, StoredState } from "./thread-state.ts";

/** What the next call of an agent continues: small JSON in the store, so that any process can make the call. */
export interface PromptState {
  readonly plan: ReductionPlan;
  /** The revision of the view that the plan was made for. */
  readonly viewRevision: number;
  /** Which sources of answered turns are shown until the next cut. */
  readonly cited?: CitedSources;
  /** Where the next call begins to read. Missing where it needs the whole view. */
  readonly start?: ReadingStart;
}

/** The sources that were cited up to an answer, among those of the prompt. */
export interface CitedSources {
  /** The id of the answer. */
  readonly until: string;
  readonly numbers: readonly number[];
}

/** The plan drops whole turns up to an entry: they are not read again. */
export interface ReadingStart {
  /** The id of the last dropped entry. */
  readonly after: string;
  /** The ids of what the plan keeps before it. */
  readonly ids: readonly string[];
}

/** A state as it was read, with what a write of it must expect. */
export interface LoadedPrompt {
  readonly state: PromptState | undefined;
  readonly stored: StoredState;
}

/** Reads what a slot continues. Returns no state if it is damaged; the plan checks itself. */
export async function loadPrompt(thread: StateThread, slot: string): Promise<LoadedPrompt> {
  const { store, threadId, signal } = thread;
  const stored = await store.getState(threadId, keyOf(slot), signal && { signal });
  return { state: isPromptState(stored?.value) ? stored.value : undefined, stored };
}

/** Stores what the next call of a slot continues, unless another process stored something meanwhile: that plan stands. */
export async function savePrompt(
  thread: StateThread,
  slot: string,
  { stored }: LoadedPrompt,
  state: PromptState,
): Promise<void> {
  const text = JSON.stringify(state);
  if (stored !== undefined && JSON.stringify(stored.value) === text) return;
  const value: JsonValue = JSON.parse(text);
  const revision = stored?.revision ?? 0;
  const next = (found: StoredState): JsonValue | undefined =>
    (found?.revision ?? 0) === revision ? value : undefined;
  await updateState(thread, keyOf(slot), next, { stored });
}

function isPromptState(value: unknown): value is PromptState {
  if (!isRecord(value) || typeof value["viewRevision"] !== "number") return false;
  const { plan, cited, start } = value;
  const isPlan =
    isRecord(plan) && Array.isArray(plan["decisions"]) && Array.isArray(plan["hashes"]);
  const isCited =
    cited === undefined ||
    (isRecord(cited) && typeof cited["until"] === "string" && isNumberList(cited["numbers"]));
  const isStart =
    start === undefined ||
    (isRecord(start) && typeof start["after"] === "string" && isTextList(start["ids"]));
  return isPlan && isCited && isStart;
}

function isNumberList(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "number");
}

function keyOf(slot: string): string {
  return stateKey(`prompt:${slot}`);
}
