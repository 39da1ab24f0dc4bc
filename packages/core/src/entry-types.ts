/** Instructions for the model; never dropped. */
export const SYSTEM_MESSAGE = "system_message";
/** The user's message: the original and, if it differs, the rendered text. */
export const USER_MESSAGE = "user_message";
/** The answer to the user. */
export const ASSISTANT_MESSAGE = "assistant_message";
/** Work given to an agent; bounds what that agent sees. */
export const TASK = "task";
/** Text, reasoning and the tool calls of one model answer. */
export const ACTION = "action";
/** The result of one tool call. */
export const OBSERVATION = "observation";
/** A failure outside a tool call. */
export const ERROR = "error";
/** An observation that every agent of the turn may see. */
export const GLOBAL_OBSERVATION = "global_observation";
/** A manager's summary of its phase. */
export const SYNTHESIS = "synthesis";
/** An agent's report when its task is done. */
export const FINAL = "final";
/** The orchestrator's plan: its phases. */
export const STRATEGIC_PLAN = "strategic_plan";
/** Records that work was given to another agent. */
export const DELEGATION = "delegation";
/** Replaces compacted entries. */
export const SUMMARY = "summary";
/** Recalled from a memory outside the thread. */
export const MEMORY = "memory";
/** A file or image that a user message brought. */
export const ATTACHMENT = "attachment";
/** JSON that a program keeps in the thread: carried by every store, never shown to a model. */
export const OPAQUE = "opaque";

/** Messages between the user and the agent. */
export const CONVERSATION_TYPES = ["user_message", "assistant_message"] as const;
/** An agent's work: tasks, tool calls, results, errors. */
export const EXECUTION_TRACE_TYPES = ["task", "action", "observation", "error"] as const;
/** Visible to agents other than the writer. */
export const GLOBAL_TYPES = ["global_observation", "synthesis"] as const;
/** Signals that work is done. */
export const COMPLETION_TYPES = ["final", "synthesis"] as const;
/** Coordination between agents. */
export const COORDINATION_TYPES = ["strategic_plan", "delegation"] as const;
/** Derived from other entries or from outside the thread. */
export const DERIVED_TYPES = ["summary", "memory"] as const;

/** Every entry type, in the order of the groups. */
export const ENTRY_TYPES = [
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
] as const;

/** One of {@link ENTRY_TYPES}. */
export type EntryType = (typeof ENTRY_TYPES)[number];

/** The type of an entry: built-in or custom. */
export type EntryTypeName = EntryType | (string & Record<never, never>);

/** Returns whether a type is one of {@link ENTRY_TYPES}. */
export function isEntryType(type: unknown): type is EntryType {
  return KNOWN.has(type);
}

const KNOWN: ReadonlySet<unknown> = new Set(ENTRY_TYPES);
