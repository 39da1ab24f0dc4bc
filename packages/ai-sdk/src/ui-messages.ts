import {
  customEntry,
  isRendered,
  messageRole,
  overReadable,
  throwIfAborted,
} from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import {
  countedIds,
  isJsonObject,
  nameOf,
  readMessage,
  requireMessages,
  toJson,
  waitingCalls,
} from "@agent-history/format-kit";
import type { MessageFormat, ReadContext, ReadOptions } from "@agent-history/format-kit";
import type { ModelMessage, ToolSet, UIMessage } from "ai";

import { loadAi } from "./internal/load-ai.ts";
import { restoreMessage, uiMetadata, uiPartsOf } from "./internal/ui-parts.ts";
import { modelFormat, toModelMessages } from "./model-messages.ts";

/** Options of {@link fromUIMessages}. */
export interface FromUIOptions extends ReadOptions {
  /** The tools of the conversation. Their `toModelOutput` determines what the model is shown of a result. */
  readonly tools?: ToolSet | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Type of the entry for a message without content for a prompt. It is never sent to a model. */
const CARRIER = "ui_message";

/** Reads every message as one of an unknown kind. */
const unknownFormat: MessageFormat = { ...modelFormat, read: () => [] };

/**
 * Converts UI messages (from `useChat` or a database) to entries, message by message, with the AI SDK's own `convertToModelMessages`.
 * Linear.
 *
 * Entry ids are derived from their message's id: `msg1` for the first, `msg1/1` for the second. Data that a prompt does not contain (the message's
 * metadata, sources, data parts, states) is in `metadata.uiMessage` of the message's first entry, so that `toUIMessages` returns the
 * same message. A message without content for a prompt becomes an entry of the type `ui_message`, which is never sent. A message that the AI SDK cannot convert, because of one of its parts, is
 * kept whole, as `fromModelMessages` keeps one of an unknown kind: a fit sends its words. An approval request that a later user message skipped is left out, as in the AI SDK.
 *
 * @throws `HistoryError` with code `ABORTED` if the signal fired, `INVALID_OPTION` if `messages` is not a list.
 *
 * @example
 * ```ts
 * import { fromUIMessages, toModelMessages } from "@agent-history/ai-sdk";
 *
 * const entries = await fromUIMessages([
 *   { id: "u1", role: "user", parts: [{ type: "text", text: "To Rome, please." }] },
 * ]);
 * toModelMessages(entries);
 * // => [{ role: "user", content: [{ type: "text", text: "To Rome, please." }] }]
 * ```
 */
export async function fromUIMessages(
  messages: readonly UIMessage[],
  options: FromUIOptions = {},
): Promise<readonly HistoryEntry[]> {
  requireMessages(messages);
  const { tools, signal, ...stamp } = options;
  const { convertToModelMessages: convert } = await loadAi();
  const said = messages.map((message): JsonObject => {
    const json = toJson(message);
    return isJsonObject(json) ? json : {};
  });
  const newest = said.findLastIndex(({ role }) => role === "user");
  const entries: HistoryEntry[] = [];
  const ids = new Set<string>();
  const waiting = waitingCalls();
  let position = 0;
  for (const [index, json] of said.entries()) {
    throwIfAborted(signal);
    const message = messages[index];
    const became = await convertMessage(convert, message, index < newest, tools);
    const id = nameOf(json["id"]);
    const ownIds = id === undefined || ids.has(id) ? undefined : countedIds(id);
    if (id !== undefined) ids.add(id);
    const newId = stamp.newId ?? ownIds;
    const read = { ...stamp, ...(newId && { newId }), waiting, index: position };
    for (const entry of entriesOf({ message, json, became }, read)) entries.push(entry);
    position += became?.length ?? 1;
  }
  return entries;
}

/** A UI message and its conversion by the AI SDK. */
interface ConvertedMessage {
  readonly message: unknown;
  readonly json: JsonObject;
  readonly became: readonly ModelMessage[] | undefined;
}

/** @param options - How its first model message is read. */
function entriesOf(
  { message, json, became }: ConvertedMessage,
  options: ReadOptions & ReadContext,
): readonly HistoryEntry[] {
  if (became === undefined) {
    const whole = readMessage(unknownFormat, message, options);
    return whole.map((entry) => ({ ...entry, metadata: { uiMessage: {} } }));
  }
  const { index, now = Date.now, newId = countedIds(`ui-message-${index}`) } = options;
  const [first, ...others] = became.flatMap((one, at) =>
    readMessage(modelFormat, one, { ...options, index: index + at }),
  );
  const { role } = json;
  const uiMessage = {
    ...uiMetadata(json, became),
    ...(role !== undefined && role !== became[0]?.role && { role }),
  };
  if (first !== undefined) return [{ ...first, metadata: { uiMessage } }, ...others];
  const metadata = { uiMessage };
  return [customEntry({ type: CARRIER, id: newId(), createdAtMs: now(), metadata })];
}

type Convert = Awaited<ReturnType<typeof loadAi>>["convertToModelMessages"];

/** Converts one message with the AI SDK's function; returns `undefined` if the function cannot convert it. Errors of a tool's `toModelOutput` are rethrown. */
async function convertMessage(
  convert: Convert,
  message: UIMessage | undefined,
  isPassedOver: boolean,
  tools: ToolSet | undefined,
): Promise<readonly ModelMessage[] | undefined> {
  if (message === undefined) return undefined;
  try {
    const shown = isPassedOver ? withoutOpenRequests(message) : message;
    return await convert([shown], tools && { tools });
  } catch (error) {
    const isOfTool = await convert([message]).then(
      () => true,
      () => false,
    );
    if (isOfTool) throw error;
    return undefined;
  }
}

/** Removes approval requests that were skipped, because they are not asked again. */
function withoutOpenRequests(message: UIMessage): UIMessage {
  const isOpen = (part: { readonly type: string; readonly state?: unknown }): boolean =>
    part?.state === "approval-requested";
  const parts = message.parts.filter((part) => !isOpen(part));
  return parts.length === message.parts.length ? message : { ...message, parts };
}

/**
 * Converts entries to UI messages, for `useChat` and for pages that show a thread. Linear.
 *
 * Messages from `fromUIMessages` are restored: ids, metadata, data parts, sources, files, tool states; values that JSON lacks, such as
 * `undefined`, are not. Other entries become messages of their role: an answer with its calls and their results becomes one message, up to the next user
 * message. Summaries and memories, which are for the model, are left out, and so are instructions. A message that was read with `newId` is returned as several messages.
 *
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { toUIMessages } from "@agent-history/ai-sdk";
 *
 * toUIMessages([
 *   userMessage({ id: "u1", content: "To Rome, please." }),
 *   assistantMessage({ id: "a1", content: "Two flights go there." }),
 * ]);
 * // => [
 * //   { id: "u1", role: "user", parts: [{ type: "text", text: "To Rome, please." }] },
 * //   {
 * //     id: "a1",
 * //     role: "assistant",
 * //     parts: [{ type: "step-start" }, { type: "text", text: "Two flights go there." }],
 * //   },
 * // ]
 * ```
 */
export function toUIMessages(entries: readonly HistoryEntry[]): UIMessage[] {
  const messages: readonly unknown[] = readUiRuns(entries).map(({ message }) => message);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each message of the input is returned as a message, with any unknown fields
  return messages as UIMessage[];
}

/** A UI message and its entries. */
export interface UiRun {
  readonly message: unknown;
  readonly entries: readonly [HistoryEntry, ...HistoryEntry[]];
}

type Run = UiRun["entries"];

/** Groups entries by their UI message, and restores each message. */
export function readUiRuns(entries: readonly HistoryEntry[]): readonly UiRun[] {
  return overReadable(entries, (readable) => {
    const runs: [HistoryEntry, ...HistoryEntry[]][] = [];
    for (const entry of readable) {
      const isForModel = entry.type === "summary" || entry.type === "memory";
      const run = runs.at(-1);
      if (run !== undefined && isOfRun(entry, run)) run.push(entry);
      else if (isCarrier(entry) || (!isForModel && isRendered(entry))) runs.push([entry]);
    }
    return runs.flatMap((run): readonly UiRun[] => {
      const message = messageOf(run);
      return message === undefined ? [] : [{ message, entries: run }];
    });
  });
}

function isOfRun(entry: HistoryEntry, [first]: Run): boolean {
  if (isCarrier(entry) || wholeOf(entry) !== undefined || wholeOf(first) !== undefined)
    return false;
  if (isCarrier(first)) return entry.id.startsWith(`${first.id}/`);
  return isOfAnswer(first) && isOfAnswer(entry);
}

function isOfAnswer(entry: HistoryEntry): boolean {
  const role = messageRole(entry);
  return role === "assistant" || role === "tool";
}

function messageOf(run: Run): unknown {
  const [first] = run;
  const whole = wholeOf(first);
  if (whole !== undefined) return whole;
  // Show what the user wrote, not the rendered text for the model.
  const written = run.map((entry): HistoryEntry => {
    if (entry.type !== "user_message" || entry.rendered === undefined) return entry;
    const { rendered: _, ...asWritten } = entry;
    return asWritten;
  });
  const says = toModelMessages(written);
  const known = restoreMessage(first, says);
  if (known !== undefined) return known;
  const role = messageRole(first);
  const parts = uiPartsOf(says);
  return says.length === 0
    ? undefined
    : { id: first.id, role: role === "tool" ? "assistant" : role, parts };
}

function isCarrier({ metadata }: HistoryEntry): boolean {
  return isJsonObject(metadata?.["uiMessage"]);
}

/** Returns a message that the AI SDK could not convert and that its entry holds whole. */
function wholeOf(entry: HistoryEntry): JsonValue | undefined {
  const [part] = isCarrier(entry) && typeof entry.content === "object" ? entry.content : [];
  return part?.type === "opaque" && part.extra?.["as"] === "message" ? part.data : undefined;
}
