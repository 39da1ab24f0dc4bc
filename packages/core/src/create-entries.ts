import type {
  AssistantMessageEntry,
  AttachmentEntry,
  SystemMessageEntry,
  UserMessageEntry,
} from "./conversation-entries.ts";
import type {
  DelegationEntry,
  FinalEntry,
  GlobalObservationEntry,
  StrategicPlanEntry,
  SynthesisEntry,
} from "./coordination-entries.ts";
import type { MemoryEntry, SummaryEntry } from "./derived-entries.ts";
import { stamp } from "./entry-sources.ts";
import type { EntrySources } from "./entry-sources.ts";
import type { EntryType } from "./entry-types.ts";
import type { EntryOf } from "./history-entry.ts";
import { HistoryError } from "./history-error.ts";
import type { ActionEntry, ErrorEntry, ObservationEntry, TaskEntry } from "./trace-entries.ts";

/** The fields of an entry without its `type`; a missing id or time is filled in. */
export type EntryFields<Type extends EntryType> = Omit<
  EntryOf<Type>,
  "type" | "id" | "createdAtMs"
> & { readonly id?: string; readonly createdAtMs?: number };

/** Builds a `system_message`. */
export function systemMessage(
  fields: EntryFields<"system_message">,
  sources?: EntrySources,
): SystemMessageEntry {
  return { ...fields, ...stamp(fields, sources), type: "system_message" };
}

/**
 * Builds a `user_message`.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 *
 * userMessage({ content: "Hello" }, { newId: () => "u1", now: () => 0 });
 * // => { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" }
 * ```
 */
export function userMessage(
  fields: EntryFields<"user_message">,
  sources?: EntrySources,
): UserMessageEntry {
  return { ...fields, ...stamp(fields, sources), type: "user_message" };
}

/** Builds an `assistant_message`: the answer to the user. */
export function assistantMessage(
  fields: EntryFields<"assistant_message">,
  sources?: EntrySources,
): AssistantMessageEntry {
  return { ...fields, ...stamp(fields, sources), type: "assistant_message" };
}

/** Builds a `task`. Entries written for it have its id as `taskId`. */
export function task(fields: EntryFields<"task">, sources?: EntrySources): TaskEntry {
  return { ...fields, ...stamp(fields, sources), type: "task" };
}

/**
 * Builds an `action`: one model answer with its tool calls.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if there is no call, or a call has no id.
 */
export function action(fields: EntryFields<"action">, sources?: EntrySources): ActionEntry {
  const calls = fields.toolCalls ?? [];
  requireField("action", "toolCalls", calls.length);
  for (const [index, { id }] of calls.entries()) {
    requireField("action", `toolCalls.${index}.id`, id);
  }
  return { ...fields, ...stamp(fields, sources), type: "action" };
}

/**
 * Builds an `observation`: the result of one tool call.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the call id or the tool's name is missing.
 */
export function observation(
  fields: EntryFields<"observation">,
  sources?: EntrySources,
): ObservationEntry {
  requireField("observation", "callId", fields.callId);
  requireField("observation", "toolName", fields.toolName);
  return { ...fields, ...stamp(fields, sources), type: "observation" };
}

/** Builds an `error`: a failure outside a tool call. */
export function errorEntry(fields: EntryFields<"error">, sources?: EntrySources): ErrorEntry {
  return { ...fields, ...stamp(fields, sources), type: "error" };
}

/** Builds a `global_observation`. */
export function globalObservation(
  fields: EntryFields<"global_observation">,
  sources?: EntrySources,
): GlobalObservationEntry {
  return { ...fields, ...stamp(fields, sources), type: "global_observation" };
}

/** Builds a `synthesis`; set the `phaseId` that it summarizes. */
export function synthesis(
  fields: EntryFields<"synthesis">,
  sources?: EntrySources,
): SynthesisEntry {
  return { ...fields, ...stamp(fields, sources), type: "synthesis" };
}

/** Builds a `final`: an agent's report when its task is done. */
export function final(fields: EntryFields<"final">, sources?: EntrySources): FinalEntry {
  return { ...fields, ...stamp(fields, sources), type: "final" };
}

/** Builds a `strategic_plan`. */
export function strategicPlan(
  fields: EntryFields<"strategic_plan">,
  sources?: EntrySources,
): StrategicPlanEntry {
  return { ...fields, ...stamp(fields, sources), type: "strategic_plan" };
}

/** Builds a `delegation`. */
export function delegation(
  fields: EntryFields<"delegation">,
  sources?: EntrySources,
): DelegationEntry {
  return { ...fields, ...stamp(fields, sources), type: "delegation" };
}

/** Builds a `summary`. */
export function summary(fields: EntryFields<"summary">, sources?: EntrySources): SummaryEntry {
  return { ...fields, ...stamp(fields, sources), type: "summary" };
}

/** Builds a `memory`. */
export function memory(fields: EntryFields<"memory">, sources?: EntrySources): MemoryEntry {
  return { ...fields, ...stamp(fields, sources), type: "memory" };
}

/**
 * Builds an `attachment` of a user message.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the message's id is missing.
 */
export function attachment(
  fields: EntryFields<"attachment">,
  sources?: EntrySources,
): AttachmentEntry {
  requireField("attachment", "messageId", fields.messageId);
  return { ...fields, ...stamp(fields, sources), type: "attachment" };
}

function requireField(type: EntryType, path: string, value: string | number): void {
  if (value) return;
  throw new HistoryError(`Expected ${type} to have \`${path}\`.`, {
    code: "INVALID_ENTRY",
    details: { path },
  });
}
