import type { JsonObject } from "@agent-history/core";

/** A readable line. */
export interface SessionLine {
  readonly number: number;
  /** The text as it is in the file. */
  readonly text: string;
  readonly object: JsonObject;
}

/** A block of a message, or an item, as a tool sends it to its model. */
export interface SentPart {
  readonly role: string;
  readonly value: JsonObject;
}

/** A part and its line. */
export interface HeldPart extends SentPart {
  readonly line: SessionLine;
}

/** How a tool resumes a session. */
export interface ResumedTool {
  /** Returns a key that is equal for a line written twice; `undefined` for lines that may be repeated. */
  readonly keyOf: (line: SessionLine) => string | undefined;
  /** Returns the parts that the tool sends to its model, in order. */
  readonly sent: (lines: readonly SessionLine[]) => readonly HeldPart[];
  /** Repairs parts for the model's API. */
  readonly repair: (parts: readonly HeldPart[]) => readonly SentPart[];
  /** Returns a line with other parts. */
  readonly withParts: (line: JsonObject, parts: readonly JsonObject[]) => JsonObject;
  /** Returns a line for a new part, with the time and session fields of a neighboring line. */
  readonly newLine: (part: SentPart, beside: JsonObject) => JsonObject;
  /** Returns the lines whose links must change, if the format has links. `live` are the lines that are sent, in order; `before` those that were. */
  readonly relinked?: (
    lines: readonly SessionLine[],
    live: readonly SessionLine[],
    before: readonly SessionLine[],
  ) => ReadonlyMap<SessionLine, JsonObject>;
}
