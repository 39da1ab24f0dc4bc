import type { JsonObject } from "@agent-history/core";

import type { JudgedThought } from "./bound-reasoning.ts";

/** A rule of a provider. */
export interface WireRule {
  /** The page, the thread or the file that states it. */
  readonly source: string;
  /** How the provider answers or, where no answer is public, the sentence of its page. */
  readonly answer: string;
  /** A request that breaks this rule and no other. */
  readonly refused: JsonObject;
}

/** A rule, and what finds it in a request as its wire reads it. */
export interface FoundRule<Request> extends WireRule {
  readonly breaks: (request: Request) => boolean;
}

/** The rules of a wire by name. */
export type Rules<Request> = Readonly<Record<string, FoundRule<Request>>>;

/** Names the rules that a request breaks, each once. */
export function brokenRules<Request>(rules: Rules<Request>, request: Request): readonly string[] {
  return Object.keys(rules).filter((name) => rules[name]?.breaks(request));
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
  /** Reads a path that names the model and whether the answer is streamed; the model is put into the body. Without it, there is one path. */
  readonly route?: (
    path: string,
  ) => { readonly model: string; readonly isStream: boolean } | undefined;
  /** Returns a request with what the server keeps of its conversation; `undefined` if it does not know it: it is answered with 404. Without it, a request stands for itself. */
  readonly whole?: (body: JsonObject) => JsonObject | undefined;
  /** Keeps a conversation: a request as it was sent and as a whole, and its answer. */
  readonly hold?: (body: JsonObject, whole: JsonObject, answer: JsonObject) => void;
  /** Its rules by name; `problems` names no other. */
  readonly rules: Readonly<Record<string, WireRule>>;
  /** The page that says how much a request may hold. */
  readonly windowPage: string;
  /** Names the rules that a request breaks, each once. */
  readonly problems: (body: JsonObject) => readonly string[];
  /** Returns what becomes of each block of reasoning in a request. Without it, reasoning is not looked at. */
  readonly thoughts?: (body: JsonObject) => readonly JudgedThought[];
  readonly write: (reply: WireReply, id: string, body: JsonObject) => JsonObject;
  /** Returns a whole answer as the events of a stream, of at least two pieces where it says something. Without it, requests for a stream are answered whole. */
  readonly stream?: (answer: JsonObject) => readonly JsonObject[];
  readonly writeError: (message: string) => JsonObject;
}
