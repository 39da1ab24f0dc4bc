import type { JsonObject } from "./json.ts";

/** The index of an agent in the hierarchy. */
export type AgentRole = "orchestrator" | "manager" | "worker";

/** Who wrote an entry, or does a task. */
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
   * Which message, by a name unique in its thread (the id of its first entry will do; a place in a batch will not).
   * Neighbors of one origin are rendered as one message again.
   */
  readonly message: string;
  /** The place of this entry within its message, from 0. */
  readonly index: number;
  /**
   * The format made the entry's id (and the ids of calls that had none) from the message's place and text, because the
   * message has none of its own: the same messages read again give the same ids, and equal messages of different calls
   * may share one. `append` of the history manager gives such entries ids of their own.
   */
  readonly derivedId?: boolean;
  /** Fields of the message that no entry type has, for the format to give back. */
  readonly extra?: JsonObject;
  /** The model that wrote it, as its provider names it: signatures and encrypted reasoning are for no other. Default: not known. */
  readonly model?: string;
  /** The account of the provider that it was written with, where there are several. Default: not known. */
  readonly organization?: string;
}

/** Fields common to all entries. */
export interface EntryBase {
  /** Unique in its thread. Any string: it is never a key of a plain object. */
  readonly id: string;
  /** When it was appended, in epoch milliseconds. Order is the order of the log, never of this. */
  readonly createdAtMs: number;
  /** Which turn. Where it is missing, a user message begins a turn. */
  readonly turnId?: string;
  /** Which phase of the plan. */
  readonly phaseId?: PhaseId;
  /** The id of the `task` entry under which this was written; on a `task`, the task under which it was given. */
  readonly taskId?: string;
  /** Who wrote it. */
  readonly agent?: Agent;
  /** Kept through every reduction and compression. Default `false`. */
  readonly pinned?: boolean;
  /** The provider's message that it came from. */
  readonly origin?: EntryOrigin;
  /** The user's own JSON; stored, never rendered. */
  readonly metadata?: JsonObject;
  /** Of an entry that is sent without its reasoning: the places in its content where that stood, so that the format puts the rest where it was. */
  readonly leftOut?: readonly number[];
}
