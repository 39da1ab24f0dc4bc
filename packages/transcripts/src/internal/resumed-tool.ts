import type { JsonObject } from "@agent-history/core";

/** A line that can be read. */
export interface SessionLine {
  readonly number: number;
  /** As it stands in the file. */
  readonly text: string;
  readonly object: JsonObject;
}

/** A block of a message, or an item, as a tool sends it to its model. */
export interface SentPart {
  readonly role: string;
  readonly value: JsonObject;
}

/** A part in the file. */
export interface HeldPart extends SentPart {
  readonly line: SessionLine;
}

/** How a tool goes on with a session. */
export interface ResumedTool {
  /** The same for a line that was written twice; `undefined` for one that may be there twice. */
  readonly keyOf: (line: SessionLine) => string | undefined;
  /** Finds what the tool sends to its model, in order. */
  readonly sent: (lines: readonly SessionLine[]) => readonly HeldPart[];
  /** Returns parts as the model's API takes them. */
  readonly repair: (parts: readonly HeldPart[]) => readonly SentPart[];
  /** Returns a line with other parts. */
  readonly withParts: (line: JsonObject, parts: readonly JsonObject[]) => JsonObject;
  /** Returns a line for a new part, with the time and the facts of the line beside it. */
  readonly newLine: (part: SentPart, beside: JsonObject) => JsonObject;
  /** Links lines to those that they follow now, where lines name them. */
  readonly relink?: (
    lines: readonly SessionLine[],
    read: readonly SessionLine[],
    sent: ReadonlySet<SessionLine>,
  ) => readonly SessionLine[];
}
