import type { HistoryEntry, JsonObject, JsonValue, ToolDefinition } from "@agent-history/core";

/** A request: messages, and what stands beside them. */
export interface MessageRequest {
  readonly messages: readonly JsonObject[];
  /** Its other fields: `system`, `instructions`, `tools`, `model`. */
  readonly fields: JsonObject;
}

/** How the messages of a format are read and written. */
export interface MessageCodec {
  /** The field of a request that holds its messages. */
  readonly list: "messages" | "input" | "contents" | "entries";
  readonly read: (
    request: MessageRequest,
  ) => readonly HistoryEntry[] | Promise<readonly HistoryEntry[]>;
  /** Gives the fields of a request: the list, and what its format keeps beside it. */
  readonly write: (entries: readonly HistoryEntry[]) => object;
  /** Reads tools in the shape of the SDK. */
  readonly tools: (tools: JsonValue) => readonly ToolDefinition[];
}
