import type { Content } from "./content.ts";
import type { Agent, EntryBase } from "./entry-base.ts";
import type { JsonObject } from "./json.ts";

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
