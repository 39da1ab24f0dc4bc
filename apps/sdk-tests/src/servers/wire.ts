import type { JsonObject } from "@agent-history/core";
import * as z from "zod";

import type { JudgedThought } from "./bound-reasoning.ts";
import { hasHalfSurrogate } from "./read-wire.ts";

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

/** What a provider refuses: what has another shape than its reference says, and what breaks a rule between the parts of a request. */
export interface Refused<Request> {
  /** The page or the types that the shape is written from. */
  readonly reference: string;
  readonly shape: z.ZodType;
  /** Requests that break the shape at one place and nothing else, by that place. */
  readonly misshapen: Readonly<Record<string, JsonObject>>;
  readonly read: (body: JsonObject) => Request;
  readonly rules: Rules<Request>;
}

/** Returns the part of a wire that refuses. A misfit of the shape is a rule that is named after its place: `messages.content.type`. */
export function refusing<Request>(refused: Refused<Request>): Pick<Wire, "rules" | "problems"> {
  const { reference: source, shape, misshapen, read, rules } = refused;
  const ofShape = Object.entries(misshapen).map(([place, request]): [string, WireRule] => [
    place,
    { source, answer: `Invalid request: ${place}`, refused: request },
  ]);
  return {
    rules: { ...Object.fromEntries(ofShape), ...rules },
    problems: (body) => {
      const request = read(body);
      const broken = Object.keys(rules).filter((name) => rules[name]?.breaks(request));
      return [...misfits(shape, body), ...broken];
    },
  };
}

/** Names the places where a request has another shape, each once; and a text that no JSON in UTF-8 holds: https://github.com/elizaOS/eliza/issues/18079 */
function misfits(shape: z.ZodType, body: JsonObject): readonly string[] {
  const issues = shape.safeParse(body).error?.issues ?? [];
  const places = issues.map((issue) => {
    const keys = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
    return [...issue.path.filter((key) => typeof key === "string"), ...keys].join(".");
  });
  return [...new Set(places), ...(hasHalfSurrogate(body) ? ["half-surrogate"] : [])];
}

/** A list that is not empty; where a text may stand for it, what it becomes. */
export function listOrText<Item extends z.ZodType>(item: Item, asItem: (text: string) => object) {
  const asList = (given: unknown): unknown => (typeof given === "string" ? [asItem(given)] : given);
  return z.preprocess(asList, z.array(item).min(1));
}

/** A list of parts, or a text, which is one part of a type. */
export function partsOrText<Part extends z.ZodType>(type: string, part: Part) {
  return listOrText(part, (text) => ({ type, text }));
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
