import type { Content } from "./content.ts";
import type { EntryType } from "./entry-types.ts";
import type { HistoryView } from "./history-view.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** One thing that happened: immutable, with a unique id, discriminated by `type`. */
export type HistoryEntry =
  | SystemMessageEntry
  | UserMessageEntry
  | AssistantMessageEntry
  | TaskEntry
  | ActionEntry
  | ObservationEntry
  | ErrorEntry
  | GlobalObservationEntry
  | SynthesisEntry
  | FinalEntry
  | StrategicPlanEntry
  | DelegationEntry
  | SummaryEntry
  | MemoryEntry
  | AttachmentEntry
  | OpaqueEntry;

/** The entry of one type: `EntryOf<"action">` is `ActionEntry`. */
export type EntryOf<Type extends EntryType> = Extract<HistoryEntry, { readonly type: Type }>;

/** The index of an agent in the hierarchy. */
export type AgentRole = "orchestrator" | "manager" | "worker";

/** Writes entries and does tasks. */
export interface Agent {
  readonly id: string;
  readonly role: AgentRole;
}

/** Names one step of the orchestrator's plan. `1` and `"1"` are two phases. */
export type PhaseId = string | number;

/** The provider's message that an entry came from. */
export interface EntryOrigin {
  /** The message format, for example `openai-chat`. */
  readonly format: string;
  /**
   * Identifies the message within the thread, for example by the id of its first entry; a position in a batch is not enough.
   * Adjacent entries of one origin are rendered as one message.
   */
  readonly message: string;
  /** Index of this entry within its message, from 0. */
  readonly index: number;
  /**
   * The format made the entry's id (and the ids of calls that had none) from the message's place and text, because the
   * message has none of its own: the same messages read again give the same ids, and equal messages of different calls
   * may share one. `append` of the history manager gives such entries ids of their own.
   */
  readonly derivedId?: boolean;
  /** Fields of the message that no entry type has; the format writes them back. */
  readonly extra?: JsonObject;
  /** The model that wrote it, by its provider's name. Only this model can read its signatures and encrypted reasoning. Default: unknown. */
  readonly model?: string;
  /** The provider account that it was written with, if you use several. Default: unknown. */
  readonly organization?: string;
}

/** Fields common to all entries. */
export interface EntryBase {
  /** Unique in its thread. Any string: it is never a key of a plain object. */
  readonly id: string;
  /** When it was appended, in epoch milliseconds. It never determines the order; the log does. */
  readonly createdAtMs: number;
  /** Its turn. Without it, a user message begins a turn. */
  readonly turnId?: string;
  /** Its phase of the plan. */
  readonly phaseId?: PhaseId;
  /** The id of the `task` entry under which this was written; on a `task`, the task under which it was given. */
  readonly taskId?: string;
  /** The agent that wrote it. */
  readonly agent?: Agent;
  /** Kept through every reduction and compression. Default `false`. */
  readonly pinned?: boolean;
  /** The provider's message that it was read from. */
  readonly origin?: EntryOrigin;
  /** The user's own JSON; stored, never rendered. */
  readonly metadata?: JsonObject;
  /** For an entry sent without its reasoning: where that stood in its content, so that the format keeps the positions of the rest. */
  readonly leftOut?: readonly number[];
}

/** Instructions for the model. Never dropped, never moved. */
export interface SystemMessageEntry extends EntryBase {
  readonly type: "system_message";
  readonly content: Content;
}

/** The user's message. */
export interface UserMessageEntry extends EntryBase {
  readonly type: "user_message";
  /** The user's original text. */
  readonly content: Content;
  /** Shown to the model instead, if it differs (a filled template). */
  readonly rendered?: Content;
}

/** The answer to the user. */
export interface AssistantMessageEntry extends EntryBase {
  readonly type: "assistant_message";
  readonly content: Content;
}

/** A file or image that a user message brought. */
export interface AttachmentEntry extends EntryBase {
  readonly type: "attachment";
  /** The id of the `user_message` that brought it. */
  readonly messageId: string;
  readonly content: Content;
  /** A display name, for example the file name. */
  readonly name?: string;
}

/** Work given to an agent. Entries written for it have its id as `taskId`. */
export interface TaskEntry extends EntryBase {
  readonly type: "task";
  readonly content: Content;
  /** The agent that does it. */
  readonly agent: Agent;
  /** The agent that gave it; missing if a user did. */
  readonly from?: Agent;
}

/** One answer of a model that calls tools: text, reasoning and the calls. */
export interface ActionEntry extends EntryBase {
  readonly type: "action";
  /** Text and reasoning beside the calls, if any. */
  readonly content?: Content;
  /** One or more; several are parallel calls. */
  readonly toolCalls: readonly ToolCall[];
}

/** One call of a tool. */
export interface ToolCall {
  /** The provider's id. Providers reuse ids: it may not even be unique within its action. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON text for a function (possibly malformed), any text for a custom tool. */
  readonly arguments: string;
  /** `function` by default; an `approval` is answered by a person. */
  readonly kind?: "function" | "custom" | "approval";
  /** The id of the call that made this one, if a model did not: a program that the provider runs, for example. */
  readonly callerId?: string;
  /** Fields that a message format needs to render the call unchanged. */
  readonly extra?: JsonObject;
}

/** How a call ended. */
export type Outcome = "success" | "error" | "denied" | "cancelled";

/** The result of one tool call. */
export interface ObservationEntry extends EntryBase {
  readonly type: "observation";
  /** The id of the call it answers. */
  readonly callId: string;
  readonly toolName: string;
  readonly outcome: Outcome;
  /** The output, without its sources. Empty text is valid. */
  readonly content: Content;
  /** The entry id of the `action` it answers; without it, position and call id decide. */
  readonly actionId?: string;
  /** Numbered pieces of evidence. */
  readonly sources?: readonly Source[];
}

/** A numbered piece of evidence; an answer cites it as `[source3]`. */
export interface Source {
  /** An integer from 0. Once used in a thread, it means this source permanently. */
  readonly number: number;
  /** Identifies the evidence: the same id, the same evidence. */
  readonly id: string;
  /** The evidence itself. */
  readonly text: string;
  readonly title?: string;
  /** Its location, for example `docs/guide.md#L10-L14`. */
  readonly uri?: string;
}

/** A failure outside a tool call. */
export interface ErrorEntry extends EntryBase {
  readonly type: "error";
  readonly content: Content;
  /** The kind of failure, for example `TimeoutError`. */
  readonly errorType?: string;
}

/** An observation that every agent of the turn may see. */
export interface GlobalObservationEntry extends EntryBase {
  readonly type: "global_observation";
  readonly content: Content;
  /** Numbered pieces of evidence. */
  readonly sources?: readonly Source[];
}

/** A manager's summary of the phase that `phaseId` names. */
export interface SynthesisEntry extends EntryBase {
  readonly type: "synthesis";
  readonly content: Content;
}

/** An agent's report when its task is done. */
export interface FinalEntry extends EntryBase {
  readonly type: "final";
  readonly content: Content;
}

/** The orchestrator's plan. */
export interface StrategicPlanEntry extends EntryBase {
  readonly type: "strategic_plan";
  readonly content: Content;
}

/** Records that work was given to another agent. */
export interface DelegationEntry extends EntryBase {
  readonly type: "delegation";
  readonly content: Content;
  /** The agent that got the work. */
  readonly to?: Agent;
}

/** The authority of a derived text: that of its least trusted source. */
export type Trust = "system" | "user" | "tool";

/** Replaces compacted entries of one view, at the position of the first. */
export interface SummaryEntry extends EntryBase {
  readonly type: "summary";
  readonly content: Content;
  /** The strategy that made it; `provider` for a provider's own compaction item. */
  readonly strategy: string;
  /** Rendered as a user message; as a system message only if this is `system`. */
  readonly trust: Trust;
  /** The view that shows it. Without one it is part of the log. */
  readonly view?: HistoryView;
  /** The runs of entries that it replaces in that view. Missing on a provider's item, which replaces everything before it. */
  readonly covers?: readonly EntryRun[];
  /** The data that its text was written from; the next compaction merges it. Never rendered or counted. */
  readonly parts?: readonly SummaryPart[];
}

/** One statement of a summary. */
export interface SummaryPart {
  /** Which part of the summary it belongs to, for example `rule`, `task` or `file`. */
  readonly kind: string;
  /** What it is about. A later part replaces an earlier one of the same kind and key. */
  readonly key: string;
  readonly text: string;
  /** Its position in the history of the view: the larger, the later. From 0. */
  readonly at: number;
  /** Its state, for example `ok`, `failed`, `unknown`, `open` or `done`. */
  readonly state?: string;
  /** Related text, for example the answer to a request. */
  readonly note?: string;
}

/** Neighboring entries of a view, by the ids at both ends. */
export interface EntryRun {
  readonly from: string;
  readonly to: string;
}

/** Recalled from a memory outside the thread. */
export interface MemoryEntry extends EntryBase {
  readonly type: "memory";
  readonly content: Content;
  /** Default `user`. */
  readonly trust?: Trust;
}

/** JSON that a program keeps in the thread, for example a session item that is no message. It has no role and is never shown to a model. */
export interface OpaqueEntry extends EntryBase {
  readonly type: "opaque";
  /** Any JSON, returned as it came. */
  readonly data: JsonValue;
  /** A line for user interfaces; never shown to a model. */
  readonly content?: Content;
}
