import type { HistoryStore, JsonValue, ReductionPlan } from "@agent-history/core";
import {
  listCheck,
  numberCheck,
  optionalField,
  pairCheck,
  recordCheck,
  refuse,
  validCopy,
  textCheck,
} from "@agent-history/core/stored-form";
import type { Check } from "@agent-history/core/stored-form";

import { recalledStates } from "./recall-numbers.ts";
import { isStoredPlan } from "./stored-plan.ts";
import { stateKey, updateState } from "./thread-state.ts";
import type { StateThread } from "./thread-state.ts";
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

/** The state as it was read, with what a write of it must expect. */
export interface StoredPrompt {
  readonly state: PromptState | undefined;
  readonly stored: Awaited<ReturnType<HistoryStore["getState"]>>;
  /** What is stored, as JSON. */
  readonly text: string | undefined;
}

/** A state as it was made here, with the JSON that it is stored as: where that is still stored, the plan is known by object. */
export interface MadePrompt {
  readonly state: PromptState;
  readonly text: string;
}

const SLOTS_KEY: string = stateKey("prompts");

const slotsCheck = listCheck(textCheck);
const basedCheck = recordCheck<{ readonly basis: ViewBasis }>({
  basis: recordCheck<ViewBasis>({
    shape: textCheck,
    viewRevision: numberCheck,
    last: textCheck,
    cited: optionalField(listCheck(pairCheck(textCheck, listCheck(numberCheck)))),
  }),
});
const planCheck: Check<ReductionPlan> = (value, refusal) =>
  isStoredPlan(value) ? value : refuse(refusal, "Expected a plan", value);
const promptCheck = recordCheck<Omit<PromptState, "basis">>({
  plan: planCheck,
  version: numberCheck,
  citedUntil: optionalField(textCheck),
});

/** Reads what a slot continues. What cannot be read is as good as nothing: the next plan is made again. */
export async function loadPrompt(
  thread: StateThread,
  slot: string,
  made: MadePrompt | undefined,
): Promise<StoredPrompt> {
  const { store, threadId, signal } = thread;
  const stored = await store.getState(threadId, keyOf(slot), signal && { signal });
  const text = stored && JSON.stringify(stored.value);
  const state = stateIn(stored?.value);
  // The same, and what the reducer remembers of its plan holds.
  const isMade = state !== undefined && made?.text === text;
  return { state: isMade ? made?.state : state, stored, text };
}

/** What is stored of a slot. Where what it was read from is damaged, the view is read whole. */
function stateIn(value: unknown): PromptState | undefined {
  const state = validCopy(promptCheck, value);
  return state && { ...state, ...validCopy(basedCheck, value) };
}

/** Keeps what the next call of a slot continues, and returns it. Where another has kept something meanwhile, that stands. */
export async function savePrompt(
  thread: StateThread,
  slot: string,
  { stored, text: before }: StoredPrompt,
  state: PromptState,
): Promise<MadePrompt> {
  const text = JSON.stringify(state);
  if (text === before) return { state, text };
  const value: JsonValue = JSON.parse(text);
  if (stored === undefined) await listSlot(thread, slot);
  const revision = stored?.revision ?? 0;
  await updateState(
    thread,
    keyOf(slot),
    (found) => ((found?.revision ?? 0) === revision ? value : undefined),
    { stored },
  );
  return { state, text };
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

function keyOf(slot: string): string {
  return stateKey(`prompt:${slot}`);
}
