import { isDeepStrictEqual } from "node:util";

import type { JsonObject, JsonValue, Repair } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import * as fc from "fast-check";

import { isObject, objectsAt } from "../src/servers/read-wire.ts";
import type { Wire } from "../src/servers/wire.ts";
import { arbitraryBreaks, arbitraryScript, breakMessages, wordsOf } from "./script.ts";
import type { Break, Breaker, Script } from "./script.ts";

/** How a program fits messages of a format and sends them. */
export interface Sender<Message> {
  readonly name: string;
  readonly wire: Wire;
  readonly write: (script: Script) => readonly JsonObject[];
  readonly breakers: Readonly<Record<string, Breaker>>;
  /** Returns messages as the SDK has them. */
  readonly parse: (messages: readonly JsonObject[]) => readonly Message[];
  readonly fit: (
    messages: readonly Message[],
    contextTokens: number,
  ) => { readonly messages: readonly Message[]; readonly repairs: readonly Repair[] };
  /** Returns the body that goes over the wire. */
  readonly send: (messages: readonly Message[]) => JsonObject | Promise<JsonObject>;
}

/** A conversation, how it was broken, and the window that it is fitted to. */
export interface BrokenHistory {
  readonly script: Script;
  readonly breaks: readonly Break[];
  /** Default: room for all. */
  readonly contextTokens?: number;
}

/** Generates broken conversations of a sender, some for windows that do not hold them. */
export function arbitraryBroken<Message>(sender: Sender<Message>): fc.Arbitrary<BrokenHistory> {
  const window = fc.option(fc.integer({ min: 100, max: 1000 }), { nil: ROOM, freq: 3 });
  return fc
    .tuple(arbitraryScript, arbitraryBreaks(Object.keys(sender.breakers)), window)
    .map(([script, breaks, contextTokens]) => ({ script, breaks, contextTokens }));
}

const ROOM = 1_000_000;

/** Says what is wrong with what a sender sends of a broken conversation: a rule that it breaks, a word that is lost, a second repair, a prefix that changes. */
export async function faultsOf<Message>(
  sender: Sender<Message>,
  { script, breaks, contextTokens = ROOM }: BrokenHistory,
): Promise<readonly string[]> {
  const { wire, write, breakers, parse, fit, send } = sender;
  const broken = breakMessages(write(script), breaks, breakers);
  if (broken.length === 0) return [];
  const given = parse(broken);
  const before = JSON.stringify(broken);
  try {
    const { messages } = fit(given, contextTokens);
    const body = await send(messages);
    const faults = wire.problems(body).map((rule) => `refused: ${rule}`);
    if (JSON.stringify(broken) !== before) faults.push("input changed");
    if (contextTokens < ROOM) return faults;
    faults.push(...wordFaults(broken, body));
    const again = fit(messages, contextTokens).messages;
    if (JSON.stringify(await send(again)) !== JSON.stringify(body)) faults.push("repaired twice");
    if (!isQuestion(broken.at(-1))) return faults;
    const later = parse([...broken, ...nextTurn(sender)]);
    const longer = await send(fit(later, contextTokens).messages);
    if (!isPrefix(messagesIn(body), messagesIn(longer))) faults.push("prefix changed");
    return faults;
  } catch (error) {
    const isTooSmall = contextTokens < ROOM && isHistoryError(error, "WINDOW_TOO_SMALL");
    // What a server keeps cannot be sent.
    const isReference = breaks.some(({ kind }) => kind === "reference") && isHistoryError(error);
    if (isTooSmall || isReference) return [];
    return [`threw: ${error instanceof Error ? error.message.slice(0, 120) : String(error)}`];
  }
}

/** Says what is wrong with what becomes of a sound conversation: it is sent as it came, without a repair, and is taken. */
export async function soundFaults<Message>(
  { wire, write, parse, fit, send }: Sender<Message>,
  script: Script,
): Promise<readonly string[]> {
  const given = parse(write(script));
  const { messages, repairs } = fit(given, ROOM);
  const [sent, came] = [await send(messages), await send(given)];
  return [
    ...wire.problems(sent).map((rule) => `refused: ${rule}`),
    ...repairs.map(({ kind, rule }) => `repaired: ${rule ?? kind}`),
    ...(isDeepStrictEqual(sent, came) ? [] : ["not as it came"]),
  ];
}

function wordFaults(broken: readonly JsonObject[], body: JsonObject): readonly string[] {
  const sent = new Set(wordsOf(body));
  const lost = wordsOf(broken).filter((word) => !sent.has(word));
  const were = new Set(wordsOf(broken.filter(isAnswers)));
  const stolen = wordsOf(messagesIn(body).filter(isAnswers)).filter((word) => !were.has(word));
  return [
    ...(lost.length > 0 ? ["words lost"] : []),
    ...(stolen.length > 0 ? ["speech of another"] : []),
  ];
}

function isAnswers(message: JsonValue): boolean {
  const role = isObject(message) ? message["role"] : undefined;
  return role === "assistant" || role === "model" || role === "ai";
}

/** What ends otherwise waits for more, and may end differently once that is there. */
function isQuestion(message: JsonObject | undefined): boolean {
  const content = message?.["content"];
  const isResult = objectsAt(message, "content").some(({ type }) => type === "tool_result");
  return message?.["role"] === "user" && content !== undefined && !isResult;
}

/** The messages of a request, whatever its format calls them. */
function messagesIn(body: JsonObject): readonly JsonObject[] {
  return ["messages", "input", "contents"].flatMap((key) => objectsAt(body, key));
}

/** An answer and a question, as the format writes them. */
function nextTurn<Message>({ write }: Sender<Message>): readonly JsonObject[] {
  const turn = { rounds: [], thinks: false, showsImage: false };
  const [first, ...rest] = write([turn, turn]);
  return first?.["role"] === "system" ? rest.slice(1) : rest;
}

function isPrefix(start: readonly JsonObject[], whole: readonly JsonObject[]): boolean {
  return start.every((message, index) => JSON.stringify(message) === JSON.stringify(whole[index]));
}
