import type { JsonObject } from "./json.ts";

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
