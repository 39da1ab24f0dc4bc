import type { JsonObject } from "@agent-history/core";

/** A rule of a provider. */
export interface WireRule {
  /** The page that states it. */
  readonly page: string;
  /** A request that breaks this rule and no other. */
  readonly refused: JsonObject;
}

/** What the model of a server says. */
export interface WireReply {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly WireCall[];
}

/** A call that the model of a server makes. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** How a provider speaks, and what it refuses. */
export interface Wire {
  /** The path of its one endpoint. */
  readonly path: string;
  /** Its rules by name; `problems` names no other. */
  readonly rules: Readonly<Record<string, WireRule>>;
  /** The page that says how much a request may hold. */
  readonly windowPage: string;
  /** Names the rules that a request breaks, each once. */
  readonly problems: (body: JsonObject) => readonly string[];
  /** Returns what counts in the context window, each text of it. */
  readonly counted: (body: JsonObject) => readonly unknown[];
  readonly write: (reply: WireReply, id: string, body: JsonObject) => JsonObject;
  /** Returns a whole answer as the events of a stream, of at least two pieces where it says something. Without it, requests for a stream are answered whole. */
  readonly stream?: (answer: JsonObject) => readonly JsonObject[];
  readonly writeError: (message: string) => JsonObject;
}
