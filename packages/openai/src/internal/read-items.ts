import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import {
  isJsonObject,
  partsOf,
  positionIds,
  readAnswer,
  readCompaction,
  stampDrafts,
} from "@agent-history/format-kit";
import type { ParsedMessage, ReadOptions, WaitingCalls } from "@agent-history/format-kit";

import type { ItemFormat } from "../item-format.ts";
import type { ResponseItemLike } from "../response-item.ts";
import { isAnswerMessage, readAnswerItem } from "./response-answer.ts";
import { isResponseCall } from "./response-calls.ts";
import { readResponseInput } from "./response-input.ts";
import { isResponseResult } from "./response-results.ts";

/** What makes entries of drafts, and knows the calls of the items before. */
export interface EntryMaker {
  readonly add: (
    draft: ParsedMessage,
    came: readonly [ReadItem, ...ReadItem[]],
  ) => readonly HistoryEntry[];
  readonly waiting: WaitingCalls;
  /** Called if more than the items and the calls before decides where the next entry ends. */
  readonly isUnsure?: () => void;
}

/** Reads the items of a conversation one by one. */
export interface ItemReader {
  /** Reads the next item; gives the entries that it completed. */
  readonly read: (item: ResponseItemLike | undefined, index: number) => readonly HistoryEntry[];
  /** Returns the entry of the items of an answer that nothing has ended yet. They stay open. */
  readonly peek: () => readonly HistoryEntry[];
  /** Ends the answer that is open; gives its entry. */
  readonly close: () => readonly HistoryEntry[];
  readonly isOpen: () => boolean;
}

/** Begins with no item. */
export function itemReader(
  { pack }: ItemFormat,
  { add, waiting, isUnsure }: EntryMaker,
): ItemReader {
  let answer: ReadItem[] = [];
  const make = (calls: WaitingCalls): readonly HistoryEntry[] => {
    const [first, ...others] = answer;
    return first === undefined ? [] : add(readAnswerItems(answer, calls), [first, ...others]);
  };
  const close = (): readonly HistoryEntry[] => {
    const entries = make(waiting);
    answer = [];
    return entries;
  };
  return {
    close,
    peek: () => make(NO_CALLS),
    isOpen: () => answer.length > 0,
    read: (item, index) => {
      const wire = pack(item);
      if (!isJsonObject(wire)) {
        return [...close(), ...add(wholeItem(wire), [{ item, wire: {}, index }])];
      }
      const read = { item, wire, index };
      let ended: readonly HistoryEntry[] = [];
      // A result finds its call among those of the answer before it.
      if (isResponseResult(wire)) {
        if (answer.some(({ wire: call }) => isProgramOf(call, wire))) isUnsure?.();
        else ended = close();
      }
      const input = readResponseInput(wire, { index, waiting });
      const draft = input ?? (wire["type"] === "compaction" ? readCompaction(wire) : undefined);
      if (draft !== undefined || beginsAnswer(answer, wire)) ended = [...ended, ...close()];
      if (draft !== undefined) return [...ended, ...add(draft, [read])];
      answer.push(read);
      return ended;
    },
  };
}

const NO_CALLS: WaitingCalls = {
  add: () => undefined,
  answer: () => undefined,
  find: () => undefined,
};

/** What is no object is carried as it is. */
function wholeItem(data: JsonValue): ParsedMessage {
  const content = [{ type: "opaque", data }] as const;
  return { says: { type: "assistant_message", content }, extra: { as: "item" } };
}

/** An item, and what it says. */
export interface ReadItem {
  /** As it was passed in. */
  readonly item: ResponseItemLike | undefined;
  readonly wire: JsonObject;
  readonly index: number;
}

/** Each entry counts as one message: a second one is an entry of its own, unless calls that wait for results stand before it. */
function beginsAnswer(answer: readonly ReadItem[], wire: JsonObject): boolean {
  if (!isAnswerMessage(wire) && wire["type"] !== "reasoning") return false;
  return (
    answer.some((before) => isAnswerMessage(before.wire)) &&
    !answer.some((before) => isResponseCall(before.wire) && !hasOutput(before, answer))
  );
}

/** Returns whether a program ran within one answer: it is carried there with what it gave, as other tools that the provider runs. */
function hasOutput({ wire: call }: ReadItem, answer: readonly ReadItem[]): boolean {
  return answer.some(({ wire }) => isProgramOf(call, wire));
}

function isProgramOf(call: JsonObject, output: JsonObject): boolean {
  return (
    call["type"] === "program" &&
    output["type"] === "program_output" &&
    call["call_id"] === output["call_id"]
  );
}

function readAnswerItems(answer: readonly ReadItem[], waiting: WaitingCalls): ParsedMessage {
  const message = answer.find(({ wire }) => isAnswerMessage(wire));
  const blocks = answer.map((read) => {
    const isOther = isAnswerMessage(read.wire) && read !== message;
    const isWhole = isOther || hasOutput(read, answer);
    return readAnswerItem(read.wire, { fallbackId: `call_${read.index}`, isWhole });
  });
  const [draft = { says: { type: "assistant_message", content: "" } }] = readAnswer(
    blocks,
    waiting,
  );
  return plainest(draft);
}

/** Returns an answer of one text that carries nothing else as plain text. */
function plainest(draft: ParsedMessage): ParsedMessage {
  const { says } = draft;
  if (says.type !== "assistant_message") return draft;
  const [only, ...others] = partsOf(says.content);
  const isPlain = only?.type === "text" && only.extra === undefined && others.length === 0;
  return isPlain && only.text !== "" ? { ...draft, says: { ...says, content: only.text } } : draft;
}

/** Makes the entries of the items that one draft came from. */
export function toEntries(
  draft: ParsedMessage,
  came: readonly [ReadItem, ...ReadItem[]],
  { name, idPrefix }: ItemFormat,
  { newId, ...stamp }: ReadOptions,
): readonly HistoryEntry[] {
  const [{ index }] = came;
  const text = came.map(({ wire }) => JSON.stringify(wire)).join("\n");
  return stampDrafts([draft], {
    format: name,
    nextId: newId ?? positionIds({ prefix: idPrefix, index, text }),
    isDerived: newId === undefined,
    ...stamp,
  });
}
