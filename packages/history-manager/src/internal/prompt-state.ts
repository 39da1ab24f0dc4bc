import type { JsonValue, ReductionPlan } from "@agent-history/core";
import { validCopy } from "@agent-history/core/schema";
import * as z from "zod/mini";

import { joinNames, splitNames } from "./plan-names.ts";
import { recalledStates } from "./recall-numbers.ts";
import { isStoredPlan } from "./stored-plan.ts";
import { stateKey, updateState } from "./thread-state.ts";
import type { StateThread, StoredState } from "./thread-state.ts";
import type { ViewBasis } from "./view-basis.ts";

/** What the next call of a slot continues. */
export interface PromptState {
  readonly plan: ReductionPlan;
  /** Of the thread when the plan was made: its entries are the same ever after, and known by their ids. */
  readonly version: number;
  /** The answer up to which only cited sources are shown. */
  readonly citedUntil?: string;
  /** What it was read from; missing where a call reads its view whole. */
  readonly basis?: ViewBasis;
}

/** What a write of a state expects to find. */
interface ExpectedPrompt {
  readonly stored: StoredState;
  /** What is stored, as JSON. */
  readonly text: string | undefined;
}

/** The state as it was read, with what a write of it must expect. */
export interface StoredPrompt extends ExpectedPrompt {
  readonly state: PromptState | undefined;
}

/** A state as it was made here, with the JSON that it is stored as. */
export interface MadePrompt {
  readonly state: PromptState;
  readonly text: string;
}

/** One that was stored: where it still is, the plan is known by object. */
export interface KeptPrompt extends MadePrompt {
  readonly stored: StoredState;
}

const SLOTS_KEY: string = stateKey("prompts");

const slotsCheck = z.array(z.string());
const basedCheck = z.object({
  basis: z.object({
    shape: z.string(),
    viewRevision: z.number(),
    last: z.string(),
    cited: z.exactOptional(z.array(z.tuple([z.string(), z.array(z.number())]))),
  }),
});
const planCheck = z.custom<ReductionPlan>(isStoredPlan);
const promptCheck = z.object({
  plan: planCheck,
  version: z.number(),
  citedUntil: z.exactOptional(z.string()),
});

/** Writes down what a call has made. */
export function madePrompt(state: PromptState): MadePrompt {
  return { state, text: JSON.stringify(joinNames(state)) };
}

/** Reads what a slot continues. What cannot be read is as good as nothing: the next plan is made again. */
export async function loadPrompt(
  thread: StateThread,
  slot: string,
  made: KeptPrompt | undefined,
): Promise<StoredPrompt> {
  const { store, threadId, signal } = thread;
  const stored = await store.getState(threadId, keyOf(slot), signal && { signal });
  const text = stored && JSON.stringify(stored.value);
  const state = stateIn(splitNames(stored?.value));
  // The same, and what the reducer remembers of its plan holds.
  const isMade = state !== undefined && made?.text === text;
  return { state: isMade ? made?.state : state, stored, text };
}

/** What is stored of a slot. Where what it was read from is damaged, the view is read whole. */
function stateIn(value: unknown): PromptState | undefined {
  const state = validCopy(promptCheck, value);
  return state && { ...state, ...validCopy(basedCheck, value) };
}

/** Keeps what the next call of a slot continues, and returns it; nothing where another has kept something meanwhile, which stands. */
export async function savePrompt(
  thread: StateThread,
  slot: string,
  { stored, text: before }: ExpectedPrompt,
  made: MadePrompt,
): Promise<KeptPrompt | undefined> {
  const { text } = made;
  if (text === before) return { ...made, stored };
  const value: JsonValue = JSON.parse(text);
  if (stored === undefined) await listSlot(thread, slot);
  const revision = stored?.revision ?? 0;
  let isOurs = false;
  const next = (found: StoredState): JsonValue | undefined => {
    isOurs = (found?.revision ?? 0) === revision;
    return isOurs ? value : undefined;
  };
  const kept = await updateState(thread, keyOf(slot), next, { stored });
  return isOurs ? { ...made, stored: kept } : undefined;
}

/** The slots that a thread has kept anything for. */
async function listSlots({ store, threadId, signal }: StateThread): Promise<readonly string[]> {
  const stored = await store.getState(threadId, SLOTS_KEY, signal && { signal });
  return validCopy(slotsCheck, stored?.value) ?? [];
}

/** The states of the manager that a thread may have, for an export. */
export async function managerStateKeys(thread: StateThread): Promise<readonly string[]> {
  const slots = await listSlots(thread);
  const recalled = await recalledStates(thread);
  const keys = recalled.map(({ key }) => key);
  return [stateKey("sources"), SLOTS_KEY, ...slots.map(keyOf), ...keys];
}

async function listSlot(thread: StateThread, slot: string): Promise<void> {
  await updateState(thread, SLOTS_KEY, (found) => {
    const slots = validCopy(slotsCheck, found?.value) ?? [];
    return slots.includes(slot) ? undefined : [...slots, slot];
  });
}

/** Returns whether a state is what a slot continues. */
export function isPromptKey(key: string): boolean {
  return key.startsWith(keyOf(""));
}

function keyOf(slot: string): string {
  return stateKey(`prompt:${slot}`);
}
