import type { Agent, Content, JsonObject, PhaseId, Source, ToolAnswer } from "@agent-history/core";

/** A source before the thread has given it a number. The same `id` is the same evidence, and has the same number permanently. */
export type UnnumberedSource = Omit<Source, "number">;

/** How one tool call ended. */
export type ToolCallResult = ToolCallSuccess | ToolCallFailure | HandledToolCall;

/** A call that gave something. */
export interface ToolCallSuccess extends ToolCallAnswer {
  readonly outcome?: "success";
  /** What the tool said, beside its sources. Default: nothing. */
  readonly content?: Content;
  /** The evidence it found, best first. An empty list says that there is none. */
  readonly sources?: readonly UnnumberedSource[];
}

/** A call that failed. The model reads `Tool call <name> failed with error: <error>`. */
export interface ToolCallFailure extends ToolCallAnswer {
  readonly outcome: "error" | "denied" | "cancelled";
  /** What went wrong, for the model to read. */
  readonly error: string;
}

/** A call that a `ToolHandler` answered: spread what its `run` returned. `content` is stored as it is; its sources have their numbers already. */
export interface HandledToolCall extends ToolCallAnswer, ToolAnswer {}

/** Which call a result answers, and what every entry may carry. */
export interface ToolCallAnswer {
  /** As the model gave it. */
  readonly callId: string;
  readonly toolName: string;
  /** The entry id of the `action` it answers. Needed where a call id may come again; without it, position decides. */
  readonly actionId?: string;
  readonly id?: string;
  readonly createdAtMs?: number;
  readonly turnId?: string;
  readonly phaseId?: PhaseId;
  readonly taskId?: string;
  readonly agent?: Agent;
  readonly pinned?: boolean;
  readonly metadata?: JsonObject;
}
