import type { JsonObject } from "@agent-history/core";
import type { ModelReply, ModelRequest } from "@agent-history/offline-model";

/** A protocol, as its server speaks it. */
export interface Wire {
  /** Where calls go, below the base URL. */
  readonly path: string;
  /** The header that bears the key, and what stands before the key in it. */
  readonly keyHeader: readonly [name: string, prefix: string];
  /** Reads a request as the demo's own; throws where a real server would refuse it. */
  readonly read: (body: unknown) => ModelRequest;
  /** Writes a reply as one body, for a server that streams nothing. */
  readonly writeWhole: (reply: ModelReply) => object;
  /** Writes a reply as the frames of an event stream. */
  readonly write: (reply: ModelReply, end: ReplyEnd) => readonly string[];
  /** Writes the body of an error. */
  readonly writeError: (code: string, message: string) => JsonObject;
}

/** How a reply ends: as it should, at the most tokens, or because its provider will not give it. */
export type ReplyEnd = "whole" | "cut" | "withheld";

/** Writes one frame of an event stream. */
export function frame(data: JsonObject | string, event?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}

/** Divides text as a model's tokens would: often, and not at words. */
export function pieces(text: string): readonly string[] {
  return text.match(/.{1,24}/gsu) ?? [];
}

/** What every answer says it cost. */
export const USAGE = { input: 11, output: 7 };
