/** Instructions for the model; never dropped. */
export const SYSTEM_MESSAGE = "system_message";
/** What the user asked, original and (where it differs) rendered. */
export const USER_MESSAGE = "user_message";
/** The answer to the user. */
export const ASSISTANT_MESSAGE = "assistant_message";
/** Work given to an agent; bounds what that agent sees. */
export const TASK = "task";
/** Text, reasoning and the tool calls of one model answer. */
export const ACTION = "action";
/** The answer to one tool call. */
export const OBSERVATION = "observation";
/** What failed outside a call. */
export const ERROR = "error";
/** What every agent of the turn may see. */
export const GLOBAL_OBSERVATION = "global_observation";
/** What a manager makes of its phase. */
export const SYNTHESIS = "synthesis";
/** What an agent hands up when its task is done. */
export const FINAL = "final";
/** The orchestrator's plan: its phases. */
export const STRATEGIC_PLAN = "strategic_plan";
/** The record that work was handed to another agent. */
export const DELEGATION = "delegation";
/** What stands for entries that were compacted. */
export const SUMMARY = "summary";
/** What was recalled from a memory outside the thread. */
export const MEMORY = "memory";
/** A file or image that a user message brought. */
export const ATTACHMENT = "attachment";
/** JSON that a program keeps in the thread: carried by every store, never shown to a model. */
export const OPAQUE = "opaque";

/** What the user and the agent said to each other. */
export const CONVERSATION_TYPES: readonly ["user_message", "assistant_message"] = [
  USER_MESSAGE,
  ASSISTANT_MESSAGE,
];
/** What an agent did while it worked. */
export const EXECUTION_TRACE_TYPES: readonly ["task", "action", "observation", "error"] = [
  TASK,
  ACTION,
  OBSERVATION,
  ERROR,
];
/** What agents other than the writer may see. */
export const GLOBAL_TYPES: readonly ["global_observation", "synthesis"] = [
  GLOBAL_OBSERVATION,
  SYNTHESIS,
];
/** What says that work is done. */
export const COMPLETION_TYPES: readonly ["final", "synthesis"] = [FINAL, SYNTHESIS];
/** How agents divide the work. */
export const COORDINATION_TYPES: readonly ["strategic_plan", "delegation"] = [
  STRATEGIC_PLAN,
  DELEGATION,
];
/** What was made from other entries, or from outside the thread. */
export const DERIVED_TYPES: readonly ["summary", "memory"] = [SUMMARY, MEMORY];

/** Every entry type, in the order of the groups. */
export const ENTRY_TYPES: readonly [
  "system_message",
  "user_message",
  "assistant_message",
  "task",
  "action",
  "observation",
  "error",
  "global_observation",
  "synthesis",
  "final",
  "strategic_plan",
  "delegation",
  "summary",
  "memory",
  "attachment",
  "opaque",
] = [
  SYSTEM_MESSAGE,
  USER_MESSAGE,
  ASSISTANT_MESSAGE,
  TASK,
  ACTION,
  OBSERVATION,
  ERROR,
  GLOBAL_OBSERVATION,
  SYNTHESIS,
  FINAL,
  STRATEGIC_PLAN,
  DELEGATION,
  SUMMARY,
  MEMORY,
  ATTACHMENT,
  OPAQUE,
];

/** One of {@link ENTRY_TYPES}. */
export type EntryType = (typeof ENTRY_TYPES)[number];

/** The type of an entry: a built-in one, or one of the user's own. */
export type EntryTypeName = EntryType | (string & Record<never, never>);

/** Returns whether a type is one of {@link ENTRY_TYPES}. */
export function isEntryType(type: unknown): type is EntryType {
  return ENTRY_TYPES.some((one) => one === type);
}
