import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import {
  entryCache,
  isJsonObject,
  partsOf,
  positionIds,
  readAnswer,
  readCompaction,
  stampDrafts,
  toJson,
  waitingCalls,
} from "@agent-history/format-kit";
import type { EntryDraft, ReadOptions, WaitingCalls } from "@agent-history/format-kit";

import { isAnswerMessage, readAnswerItem } from "./internal/response-answer.ts";
import { isResponseCall } from "./internal/response-calls.ts";
import { readResponseInput } from "./internal/response-input.ts";
import { isResponseResult } from "./internal/response-results.ts";
import { RESPONSES_FORMAT } from "./internal/write-items.ts";
import type { ResponseItemLike } from "./response-item.ts";

const cache = entryCache();

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
 * conversation at each call, longer each time. The same item object gives the same entry object.
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
  const waiting = waitingCalls();
  const entries: HistoryEntry[] = [...readInstructions(options)];
  const add = (draft: EntryDraft, came: readonly [ReadItem, ...ReadItem[]]): void => {
    for (const entry of toEntries(draft, came, options)) entries.push(entry);
  };
  let answer: ReadItem[] = [];
  const close = (): void => {
    const [first, ...others] = answer;
    if (first !== undefined) add(readAnswerItems(answer, waiting), [first, ...others]);
    answer = [];
  };
  for (const [index, item] of items.entries()) {
    const wire = toJson(item);
    if (!isJsonObject(wire)) {
      close();
      add(wholeItem(wire), [{ item, wire: {}, index }]);
      continue;
    }
    const read = { item, wire, index };
    // A result finds its call among those of the answer before it.
    if (isResponseResult(wire) && !answer.some(({ wire: call }) => isProgramOf(call, wire)))
      close();
    const input = readResponseInput(wire, { index, waiting });
    const draft = input ?? (wire["type"] === "compaction" ? readCompaction(wire) : undefined);
    if (draft !== undefined || beginsAnswer(answer, wire)) close();
    if (draft === undefined) answer.push(read);
    else add(draft, [read]);
  }
  close();
  return entries;
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
  readonly item: ResponseItemLike;
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
  const [{ item, index }] = came;
  const text = came.map(({ wire }) => JSON.stringify(wire)).join("\n");
  const nextId = newId ?? positionIds({ prefix: "item", index, text });
  const entries = stampDrafts([draft], {
    format: RESPONSES_FORMAT,
    nextId,
    isDerived: newId === undefined,
    ...bears,
  });
  return newId === undefined ? cache.recall(item, entries) : entries;
}
