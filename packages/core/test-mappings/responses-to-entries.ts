import type { EntrySources, HistoryEntry, JsonObject } from "../src/index.ts";
import { stampMessage } from "./internal/entry-draft.ts";
import { readAnswer } from "./internal/read-answer.ts";
import { toJsonObject } from "./internal/to-json.ts";
import { waitingCalls } from "./internal/waiting-calls.ts";
import type { WaitingCalls } from "./internal/waiting-calls.ts";
import { readAnswerItem } from "./responses-answer.ts";
import { readResponsesInput } from "./responses-input.ts";
import { isResponsesResult } from "./responses-results.ts";

/** Stands in `origin.format` of what came as Responses items. */
export const RESPONSES = "openai-responses";

interface NumberedItem {
  readonly item: JsonObject;
  readonly index: number;
}

/**
 * Turns OpenAI Responses items into entries, so that `entriesToResponses` gives the same items back. Linear.
 *
 * Neighbouring items of an answer are one `action`, or without calls one `assistant_message`; an item that answers a
 * call is an `observation`, a compaction a `summary`. What the provider ran itself, a reference, and an item of a kind
 * not known stay in the answer, as opaque parts; changes of tools and settings are a `system_message`.
 */
export function responsesToEntries(
  items: readonly object[],
  sources: EntrySources = {},
): readonly HistoryEntry[] {
  const waiting = waitingCalls();
  const entries: HistoryEntry[] = [];
  let answer: NumberedItem[] = [];
  const close = (): void => {
    if (answer.length > 0) entries.push(...readItems(answer, waiting, sources));
    answer = [];
  };
  for (const [index, item] of items.map((one) => toJsonObject(one)).entries()) {
    // A result finds its call among those of the answer before it.
    if (isResponsesResult(item)) close();
    const input = readResponsesInput(item, { index, waiting });
    if (input === undefined) {
      answer.push({ item, index });
    } else {
      close();
      entries.push(...stampMessage(RESPONSES, [input], sources));
    }
  }
  close();
  return entries;
}

function readItems(
  answer: readonly NumberedItem[],
  waiting: WaitingCalls,
  sources: EntrySources,
): readonly HistoryEntry[] {
  const blocks = answer.map(({ item, index }) => readAnswerItem(item, `call_${index}`));
  return stampMessage(RESPONSES, readAnswer(blocks, waiting), sources);
}
