import type { Agent, Content, JsonObject, PhaseId, Source, ToolAnswer } from "@agent-history/core";

/** A source without a citation number. The same `id` means the same evidence and keeps its number permanently. */
export type UnnumberedSource = Omit<Source, "number">;

/** How one tool call ended. */
export type ToolCallResult = ToolCallSuccess | ToolCallFailure | HandledToolCall;

/** A successful call. */
export interface ToolCallSuccess extends ToolCallAnswer {
  readonly outcome?: "success";
  /** The output, without its sources. Default: empty. */
  readonly content?: Content;
  /** The sources found, best first. An empty list means that there are none. */
  readonly sources?: readonly UnnumberedSource[];
}

/** A failed call. The model reads `Tool call <name> failed with error: <error>`. */
export interface ToolCallFailure extends ToolCallAnswer {
  readonly outcome: "error" | "denied" | "cancelled";
  /** The error, for the model. */
  readonly error: string;
}

/** A call answered by a `ToolHandler`: spread what its `run` returned. `content` is stored unchanged; its sources are numbered already. */
export interface HandledToolCall extends ToolCallAnswer, ToolAnswer {}

/** The call that a result answers, and common fields. */
export interface ToolCallAnswer {
  /** The model's call id. */
  readonly callId: string;
  readonly toolName: string;
  /** The entry id of the `action` it answers. Needed if call ids repeat; without it, position decides. */
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
