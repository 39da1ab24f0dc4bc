import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import {
  isJsonObject,
  messageMemory,
  notingCalls,
  partsOf,
  positionIds,
  readAnswer,
  readCompaction,
  stampDrafts,
  toJson,
  waitingCalls,
} from "@agent-history/format-kit";
import type { EntryDraft, ReadOptions, ReadResult, WaitingCalls } from "@agent-history/format-kit";

import { isAnswerMessage, readAnswerItem } from "./internal/response-answer.ts";
import { isResponseCall } from "./internal/response-calls.ts";
import { readResponseInput } from "./internal/response-input.ts";
import { isResponseResult } from "./internal/response-results.ts";
import { RESPONSES_FORMAT } from "./internal/write-items.ts";
import type { ResponseItemLike } from "./response-item.ts";

const memory = messageMemory();

/** How many neighbours of an item were read with it the last time: those of its entry, and the item behind them that ended it. */
const spans = new WeakMap<object, { readonly items: number; readonly isEnded: boolean }>();

/** What the entries of a conversation bear beside what its items say. */
export interface FromResponseOptions extends ReadOptions {
  /**
   * The `instructions` of the request: a `system_message` before all others, so that they are counted. `toResponseItems` leaves it out, because
   * the request sends them itself. Default: none.
   */
  readonly instructions?: string | null;
}

/**
 * Turns the items of OpenAI's Responses API into entries, so that `toResponseItems` gives the same items back, unknown fields
 * and unknown kinds included. Linear.
 *
 * Neighbouring items of an answer (reasoning, a message, calls, what the provider ran itself) are one `action`, or without
 * calls one `assistant_message`; a message that follows another one begins a new entry. An item that answers a call is an
 * `observation` (so is what a program gave after calls of its own were answered), a compaction a `summary`, a change of tools or settings a `system_message`. An item of no known kind stays in
 * the answer whole, as an opaque part.
 *
 * With `instructions`, one entry more stands first.
 *
 * Without `newId`, ids come from place and text (`item-3-1k2x9f`), as those of `fromChatMessages` do: hand in the whole
 * conversation at each call, longer each time. The same item object gives the same entry object; items that say the same as at the last call are
 * not read again.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where `instructions` is no text.
 *
 * @example
 * ```ts
 * import { fromResponseItems } from "@agent-history/openai";
 *
 * const entries = fromResponseItems([
 *   { role: "user", content: "To Rome, please." },
 *   { type: "function_call", call_id: "c1", name: "find", arguments: '{"to":"Rome"}' },
 *   { type: "function_call_output", call_id: "c1", output: "Two flights." },
 * ]);
 * entries.map(({ type }) => type);
 * // => ["user_message", "action", "observation"]
 * ```
 */
export function fromResponseItems(
  items: readonly ResponseItemLike[],
  options: FromResponseOptions = {},
): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [...readInstructions(options)];
  const { recall, add, waiting, isUnsure } = rememberingReader(items, options);
  const put = (some: readonly HistoryEntry[]): void => some.forEach((entry) => entries.push(entry));
  let answer: ReadItem[] = [];
  const close = (): void => {
    const [first, ...others] = answer;
    if (first !== undefined) put(add(readAnswerItems(answer, waiting), [first, ...others]));
    answer = [];
  };
  for (let index = 0; index < items.length; index += 1) {
    const known = answer.length === 0 ? recall(index) : undefined;
    if (known !== undefined) {
      put(known.entries);
      index += known.items - 1;
      continue;
    }
    const item = items[index];
    const wire = toJson(item);
    if (!isJsonObject(wire)) {
      close();
      put(add(wholeItem(wire), [{ item, wire: {}, index }]));
      continue;
    }
    const read = { item, wire, index };
    // A result finds its call among those of the answer before it.
    if (isResponseResult(wire)) {
      if (answer.some(({ wire: call }) => isProgramOf(call, wire))) isUnsure();
      else close();
    }
    const input = readResponseInput(wire, { index, waiting });
    const draft = input ?? (wire["type"] === "compaction" ? readCompaction(wire) : undefined);
    if (draft !== undefined || beginsAnswer(answer, wire)) close();
    if (draft === undefined) answer.push(read);
    else put(add(draft, [read]));
  }
  close();
  return entries;
}

/** What reads the items of one conversation, and knows those that were read before. */
interface RememberingReader {
  /** Gives what the items from a place on became, and how many of them did, if nothing of it has changed. */
  readonly recall: (
    index: number,
  ) => { readonly entries: readonly HistoryEntry[]; readonly items: number } | undefined;
  readonly add: (
    draft: EntryDraft,
    came: readonly [ReadItem, ...ReadItem[]],
  ) => readonly HistoryEntry[];
  readonly waiting: WaitingCalls;
  /** Says that more than the calls before tells where the next entry ends: it is not recalled. */
  readonly isUnsure: () => void;
}

function rememberingReader(
  items: readonly ResponseItemLike[],
  options: FromResponseOptions,
): RememberingReader {
  const { newId, now = Date.now, turnId, agent } = options;
  const waiting = waitingCalls();
  const noting = notingCalls(waiting);
  const known = memory.open({ waiting, now, turnId, agent, isByContent: false });
  let isSure = true;
  return {
    waiting: noting.waiting,
    isUnsure: () => void (isSure = false),
    recall: (index) => {
      const item: unknown = items[index];
      if (newId !== undefined || typeof item !== "object" || item === null) return undefined;
      const span = spans.get(item);
      if (span === undefined) return undefined;
      const end = index + span.items;
      if (end < items.length !== span.isEnded) return undefined;
      const entries = known.recall(item, index, undefined, items.slice(index, end + 1));
      return entries && { entries, items: span.items };
    },
    add: (draft, came) => {
      const [{ item, index }] = came;
      const read = (): ReadResult => ({
        entries: toEntries(draft, came, options),
        noted: noting.takeNotes(),
      });
      if (newId !== undefined || typeof item !== "object" || item === null) return read().entries;
      const end = index + came.length;
      if (isSure) spans.set(item, { items: came.length, isEnded: end < items.length });
      else spans.delete(item);
      isSure = true;
      return known.read(item, { index, firstId: undefined }, read, items.slice(index, end + 1));
    },
  };
}

/** They count as a message of the system's. */
function readInstructions({
  instructions,
  newId,
  ...bears
}: FromResponseOptions): readonly HistoryEntry[] {
  if (instructions === undefined || instructions === null) return [];
  if (typeof instructions !== "string") {
    throw new HistoryError("Expected `instructions` to be a text.", {
      code: "INVALID_OPTION",
      details: { option: "instructions" },
    });
  }
  const says = { type: "system_message", content: instructions } as const;
  return stampDrafts([{ says, extra: { as: "instructions" } }], {
    format: RESPONSES_FORMAT,
    nextId: newId ?? positionIds({ prefix: "instructions", index: 0, text: instructions }),
    isDerived: newId === undefined,
    ...bears,
  });
}

/** What is no object is carried as it is. */
function wholeItem(data: JsonValue): EntryDraft {
  const content = [{ type: "opaque", data }] as const;
  return { says: { type: "assistant_message", content }, extra: { as: "item" } };
}

interface ReadItem {
  /** As it was handed in. */
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

/** Tells whether a program ran within one answer: it is carried there with what it gave, as other tools that the provider runs. */
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

function readAnswerItems(answer: readonly ReadItem[], waiting: WaitingCalls): EntryDraft {
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

/** Gives an answer of one text that bears nothing else as plain text. */
function plainest(draft: EntryDraft): EntryDraft {
  const { says } = draft;
  if (says.type !== "assistant_message") return draft;
  const [only, ...others] = partsOf(says.content);
  const isPlain = only?.type === "text" && only.extra === undefined && others.length === 0;
  return isPlain && only.text !== "" ? { ...draft, says: { ...says, content: only.text } } : draft;
}

function toEntries(
  draft: EntryDraft,
  came: readonly [ReadItem, ...ReadItem[]],
  { newId, instructions: _, ...bears }: FromResponseOptions,
): readonly HistoryEntry[] {
  const [{ index }] = came;
  const text = came.map(({ wire }) => JSON.stringify(wire)).join("\n");
  const nextId = newId ?? positionIds({ prefix: "item", index, text });
  return stampDrafts([draft], {
    format: RESPONSES_FORMAT,
    nextId,
    isDerived: newId === undefined,
    ...bears,
  });
}
