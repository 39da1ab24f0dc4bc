import type { JsonObject, JsonValue } from "@agent-history/core";
import * as fc from "fast-check";

import { isObject, textIn } from "../src/servers/read-wire.ts";

/** A conversation before it is written in a format. Texts are made from positions, each with a word that stands nowhere else. */
export type Script = readonly ScriptTurn[];

export interface ScriptTurn {
  readonly rounds: readonly ScriptRound[];
  readonly thinks: boolean;
  readonly showsImage: boolean;
}

export interface ScriptRound {
  readonly calls: number;
  readonly speaks: boolean;
  readonly fails: boolean;
  readonly showsImage: boolean;
}

const round = fc.record({
  calls: fc.integer({ min: 1, max: 3 }),
  speaks: fc.boolean(),
  fails: fc.boolean(),
  showsImage: fc.boolean(),
});

/** Generates sound conversations; the last turn ends with its question. */
export const arbitraryScript: fc.Arbitrary<Script> = fc.array(
  fc.record({
    rounds: fc.array(round, { maxLength: 2 }),
    thinks: fc.boolean(),
    showsImage: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

/** A way in which a conversation was broken, and where: `at` chooses among the places that it can break. */
export interface Break {
  readonly kind: string;
  readonly at: number;
}

/** Changes messages at one of their places. */
export type Breaker = (messages: readonly JsonObject[], at: number) => readonly JsonObject[];

/** Generates up to four breaks of these kinds. */
export function arbitraryBreaks(kinds: readonly string[]): fc.Arbitrary<readonly Break[]> {
  const one = fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat({ max: 10_000 }) });
  return fc.array(one, { minLength: 1, maxLength: 4 });
}

/** Applies breaks one after another. */
export function breakMessages(
  messages: readonly JsonObject[],
  breaks: readonly Break[],
  breakers: Readonly<Record<string, Breaker>>,
): readonly JsonObject[] {
  return breaks.reduce((all, { kind, at }) => breakers[kind]?.(all, at) ?? all, messages);
}

/** Makes a breaker that changes one object, however deep: one of those that `isPlace` tells. */
export function changing(
  isPlace: (value: JsonObject, parent: JsonObject | undefined) => boolean,
  change: (value: JsonObject) => JsonObject | readonly JsonObject[],
): Breaker {
  return (messages, at) => {
    const places = placesIn(messages, isPlace);
    if (places.length === 0) return messages;
    const target = places[at % places.length];
    return changedList(messages, target, change);
  };
}

/** Makes a breaker that changes every object that `isPlace` tells. */
export function changingAll(
  isPlace: (value: JsonObject) => boolean,
  change: (value: JsonObject) => JsonObject,
): Breaker {
  return (messages) => {
    const places = placesIn(messages, isPlace);
    return places.reduce<readonly JsonObject[]>((all, _, index) => {
      const target = placesIn(all, isPlace)[index];
      return changedList(all, target, change);
    }, messages);
  };
}

function placesIn(
  messages: readonly JsonObject[],
  isPlace: (value: JsonObject, parent: JsonObject | undefined) => boolean,
): readonly JsonObject[] {
  const walk = (value: JsonValue, parent: JsonObject | undefined): readonly JsonObject[] => {
    if (typeof value !== "object" || value === null) return [];
    if (!isObject(value)) return value.flatMap((one: JsonValue) => walk(one, parent));
    const inner = Object.values(value).flatMap((field: JsonValue) => walk(field, value));
    return isPlace(value, parent) ? [value, ...inner] : inner;
  };
  return walk(messages, undefined);
}

function changedList(
  list: readonly JsonObject[],
  target: JsonObject | undefined,
  change: (value: JsonObject) => JsonObject | readonly JsonObject[],
): readonly JsonObject[] {
  const walk = (value: JsonValue): JsonValue => {
    if (typeof value !== "object" || value === null) return value;
    if (!isObject(value))
      return value.flatMap((one: JsonValue) => (one === target ? change(target) : walk(one)));
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [
        key,
        field === target && target ? changedField(target, change) : walk(field),
      ]),
    );
  };
  return list.flatMap((one) => {
    if (one === target) return change(target);
    const walked = walk(one);
    return isObject(walked) ? walked : [];
  });
}

function changedField(
  target: JsonObject,
  change: (value: JsonObject) => JsonObject | readonly JsonObject[],
): JsonValue {
  const changed = change(target);
  return Array.isArray(changed) ? (changed[0] ?? null) : changed;
}

/** Breaks that a list of messages of any format can have. */
export const breaksOfLists: Readonly<Record<string, Breaker>> = {
  "message lost": (messages, at) => messages.toSpliced(at % Math.max(messages.length, 1), 1),
  "message twice": (messages, at) => {
    const index = at % Math.max(messages.length, 1);
    return [...messages.slice(0, index + 1), ...messages.slice(index)];
  },
  "message twice, far apart": (messages, at) => [
    ...messages.slice(0, -1),
    ...messages.slice(at % Math.max(messages.length, 1)).slice(0, 1),
    ...messages.slice(-1),
  ],
  "turn twice": (messages, at) => {
    const start = at % Math.max(messages.length, 1);
    const end = Math.min(messages.length, start + 4);
    return [...messages.slice(0, end), ...messages.slice(start)];
  },
  "message late": (messages, at) => {
    const index = at % Math.max(messages.length, 1);
    const moved = messages.slice(index, index + 1);
    return messages.toSpliced(index, 1).toSpliced(index + 2, 0, ...moved);
  },
  "message early": (messages, at) => {
    const index = at % Math.max(messages.length, 1);
    const moved = messages.slice(index, index + 1);
    return messages.toSpliced(index, 1).toSpliced(Math.max(0, index - 1), 0, ...moved);
  },
  "beginning lost": (messages, at) => messages.slice(at % Math.max(messages.length, 1)),
  "end lost": (messages, at) => messages.slice(0, (at % Math.max(messages.length, 1)) + 1),
  "half surrogate": changing(
    (value) => typeof value["text"] === "string" || typeof value["content"] === "string",
    (value) => {
      const key = typeof value["text"] === "string" ? "text" : "content";
      return { ...value, [key]: `${textIn(value[key])} \ud83d` };
    },
  ),
  "trailing white space": changing(
    // A signature of another text cannot be told from a right one.
    ({ type, text, content }) =>
      type !== "reasoning" && (typeof text === "string" || typeof content === "string"),
    (value) => {
      const key = typeof value["text"] === "string" ? "text" : "content";
      return { ...value, [key]: `${textIn(value[key])} \n\u0007` };
    },
  ),
  "empty text": changing(
    (value) => typeof value["text"] === "string" && !said(value),
    (value) => ({ ...value, text: "" }),
  ),
  "field of nobody": changing(
    (value) => typeof value["role"] === "string",
    (value) => ({ ...value, usage: { tokens: 3 } }),
  ),
};

/** Words of a user or a tool are not overwritten: they are what must not be lost. */
function said(value: JsonObject): boolean {
  return wordsOf(value).length > 0;
}

/** Returns the words of users and of tools that stand in a value, each once. */
export function wordsOf(value: unknown): readonly string[] {
  return [...new Set(JSON.stringify(value)?.match(/\b(?:asked|found)-\d+(?:-\d+)*\b/gu))];
}

/** Returns the words of a turn's question. */
export function askedText(turn: number): string {
  return `Which flights? asked-${turn}`;
}

/** Returns the words that a tool gave. */
export function foundText(...place: readonly number[]): string {
  return `Two fly. found-${place.join("-")}`;
}

/** Returns the words of an answer. */
export function saidText(...place: readonly number[]): string {
  return `I say so. said-${place.join("-")}`;
}

export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
