import { contentText, isRendered, messageRole } from "@agent-history/core";
import type {
  Content,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  MessageRole,
  ObservationEntry,
  OpaquePart,
  ReasoningPart,
  ToolCall,
  Viewer,
} from "@agent-history/core";
import { splitResultMedia } from "@agent-history/core/kit";

import { callIds, pairedCalls, toolNames, uniqueCalls } from "./call-rules.ts";
import type { MayWait, NameShape } from "./call-rules.ts";
import { mediaLines, shownContent } from "./content.ts";
import { withoutKeys } from "./field-rules.ts";
import {
  indexOf,
  isJsonObject,
  isWellFormed,
  textOf,
  toWellFormed,
  wellFormedJson,
} from "./json.ts";
import { mapEntries, mapParts, marksOf, NOTHING_SAID } from "./wire-rules.ts";
import type { WireRule } from "./wire-rules.ts";

/** Parameters of the rules that formats share. */
export interface CommonRules extends BlankOptions {
  /** URL of the API reference. */
  readonly source: string;
  /** The format's name. Entries of other formats are written without their format-specific data. */
  readonly format: string;
  /** Returns whether a part of this format may be in its message. Default: all may. */
  readonly takes?: TakesPart;
  /** Shape of tool names. Default: any. */
  readonly names?: NameShape;
  /** Shape of call ids, which must then be unique in a request. Default: any, duplicates allowed. */
  readonly ids?: NameShape;
  /** Returns the ids of calls that are in the content of an entry, because the provider answered them. Default: none. */
  readonly carriedIds?: (entry: HistoryEntry) => readonly string[];
  /** Default: no call may wait for its result. */
  readonly mayWait?: MayWait;
}

/** Returns the rules that formats share: valid text, known messages and parts, ids and names, paired calls and results, nothing blank. */
export function commonRules({
  source,
  format,
  takes,
  names,
  ids,
  carriedIds,
  mayWait,
  ...blank
}: CommonRules): readonly WireRule[] {
  return [
    wellFormedText(),
    knownMessages(source),
    partsOfRole(source, format, takes),
    ...(names === undefined ? [] : [toolNames(names)]),
    ...(ids === undefined ? [] : [callIds(ids)]),
    // Before the pairing: behind the answer to a request, a blank text would end the wait for its call.
    blankText(source, format, blank),
    pairedCalls(source, mayWait),
    ...(ids === undefined ? [] : [uniqueCalls(source, carriedIds)]),
  ];
}

/** Text is valid Unicode: a lone surrogate, e.g. from an interrupted stream, becomes the replacement character. Reasoning, which must not be edited, is removed instead. */
function wellFormedText(): WireRule {
  return {
    name: "well-formed-text",
    source: "https://github.com/anthropics/claude-code/issues/56064",
    remedy: "replaces half a surrogate pair with U+FFFD",
    call: (call) => {
      // The arguments of some calls are written as JSON, not as text.
      const text =
        call.extra?.["as"] === undefined ? call.arguments : wellFormedJson(call.arguments);
      return text === call.arguments ? call : { ...call, arguments: text };
    },
    result: (result) => {
      const { content, origin } = result;
      const { as, json } = origin?.extra ?? {};
      // A result that came as a JSON value is written as one.
      const isValue = json === true || as === "json" || as === "error-json";
      const text = isValue && typeof content === "string" ? wellFormedJson(content) : content;
      return text === content ? result : { ...result, content: text };
    },
    extra: toWellFormed,
    entry: (given, viewer) => {
      const isWell = (key: string): boolean => isWellFormed(Reflect.get(given, key));
      if (SENT.every(isWell)) return given;
      const isThought = ({ type }: ContentPart): boolean =>
        type === "reasoning" && messageRole(given, viewer) === "assistant";
      const entry = mapParts(given, (part) => (isThought(part) && !isWellFormed(part) ? [] : part));
      const sent = SENT.filter((key) => key in entry);
      const said = sent.map(
        (key) => [key, toWellFormed<unknown>(Reflect.get(entry, key))] as const,
      );
      return { ...entry, ...Object.fromEntries(said) };
    },
  };
}

/** The fields of an entry that formats write. */
const SENT = ["content", "rendered", "toolCalls", "callId", "toolName", "sources", "name"];

/** What counts as blank. */
export interface BlankOptions {
  /** Returns whether the provider refuses a text. Default: text of only white space. */
  readonly isBlank?: (text: string) => boolean;
  /** Returns whether the provider accepts an entry although it is empty. Default: none. */
  readonly mayBeEmpty?: (entry: HistoryEntry) => boolean;
}

/**
 * Texts are not blank and messages are not empty. An empty user message gets a placeholder; an empty answer without calls is removed.
 *
 * @param format - The format's name: reasoning and opaque parts of other formats are not written and so do not count.
 */
function blankText(
  source: string,
  format: string,
  { isBlank = (text) => !/\S/u.test(text), mayBeEmpty = () => false }: BlankOptions = {},
): WireRule {
  const withoutSpace = (text: string): string => (text !== "" && isBlank(text) ? "" : text);
  return {
    name: "blank-text",
    source,
    remedy: "removes blank blocks and empty answers, and marks an empty user message as empty",
    repair: (entries, viewer) =>
      mapEntries(entries, (entry, index) => {
        if (entry.type === "action" && entry.content === undefined) return entry;
        const filled = mapParts(
          entry,
          (part) =>
            part.type === "text" && isBlank(part.text) && !isField(part, entry) ? [] : part,
          withoutSpace,
        );
        if (saysSomething(filled, format, isBlank) || !isRendered(filled)) return filled;
        if (!("rendered" in filled) && mayBeEmpty(filled)) return filled;
        const isBeside = [index - 1, index + 1].some((at) => isOfOneMessage(entry, entries[at]));
        return isBeside ? [] : whereNothingIsSaid(filled, messageRole(filled, viewer));
      }),
  };
}

/** A user message that shares its message with results may be empty. */
function isOfOneMessage(entry: HistoryEntry, other: HistoryEntry | undefined): boolean {
  if (entry.type !== "user_message" || other?.type !== "observation") return false;
  return entry.origin !== undefined && entry.origin.message === other.origin?.message;
}

/** Returns whether a text is the whole `content` field of a message that says more in other fields. */
function isField({ extra }: ContentPart, { content }: HistoryEntry): boolean {
  if (extra?.["as"] !== "content" || typeof content !== "object") return false;
  return content.filter((part) => part.extra?.["field"] === undefined).length === 1;
}

function saysSomething(
  entry: HistoryEntry,
  format: string,
  isBlank: (text: string) => boolean,
): boolean {
  const shown = shownContent(entry);
  if (shown === undefined || typeof shown === "string") return (shown ?? "") !== "";
  const isOwn = entry.origin?.format === format;
  return shown.some((part) => {
    if (part.type === "text") return !isField(part, entry) || !isBlank(part.text);
    // Reasoning in a field of its own is no content.
    if (part.extra?.["field"] !== undefined && part.type === "reasoning")
      return entry.type === "action";
    return isOwn || (part.type !== "reasoning" && part.type !== "opaque");
  });
}

function whereNothingIsSaid(
  entry: HistoryEntry,
  role: MessageRole,
): HistoryEntry | readonly HistoryEntry[] {
  if (entry.type === "action") {
    const { content, ...rest } = entry;
    const { extra } = entry.origin ?? {};
    const carried = isJsonObject(extra?.["fields"]) ? extra["fields"]["content"] : undefined;
    // The carried `content: null` is written instead; an empty list is refused.
    if (carried === null) return content === undefined ? entry : rest;
    if (entry.origin !== undefined && extra !== undefined && carried !== undefined) {
      const origin = { ...entry.origin, extra: withoutKeys(extra, ["content"]) };
      return { ...entry, origin, content: "" };
    }
    return content === undefined || content === "" ? entry : { ...entry, content: "" };
  }
  if (role === "tool") return entry;
  if (entry.type === "user_message") {
    const { rendered: _, ...rest } = entry;
    return /\S/u.test(contentText(rest.content)) ? rest : { ...rest, content: NOTHING_SAID };
  }
  return entry.type === "task" ? { ...entry, content: NOTHING_SAID } : [];
}

/**
 * Parts are only in messages of roles that may have them. Text of a misplaced part stays as text, marked with its kind; a misplaced image or file becomes a line of text. Data of another format from a
 * user or a tool keeps its text, too; data from a model's provider is left out when written.
 *
 * @param takes - Whether a part of this format may be there. Default: all may.
 */
function partsOfRole(source: string, format: string, takes: TakesPart = () => true): WireRule {
  return {
    name: "part-of-role",
    source,
    remedy: "replaces the part with a line of text that names its kind and keeps its words",
    part: (part, entry, viewer) => {
      if (part.type === "text") return part;
      if (part.type === "reasoning") return ofAnswer(part, entry, viewer);
      const isOwn = entry.origin?.format === format;
      if (isOwn ? takes(part, entry, viewer) : part.type !== "opaque") return part;
      if (part.type !== "opaque") return mediaLines(part);
      const role = messageRole(entry, viewer);
      const isLeftOut = role === "assistant" || wordsIn(part.data) === "";
      if (!isOwn && isLeftOut) return part;
      const text = textIn(part.data, role);
      return text === "" ? [] : { type: "text", text };
    },
  };
}

/** Reasoning is only in answers: of a user or a tool its text stays, of another agent's answer nothing. */
function ofAnswer(
  part: ReasoningPart,
  entry: HistoryEntry,
  viewer: Viewer,
): ContentPart | readonly ContentPart[] {
  if (messageRole(entry, viewer) === "assistant") return part;
  const isGiven = GIVEN.has(entry.type) && part.text !== "";
  return isGiven ? { type: "text", text: `[reasoning] ${part.text}` } : [];
}

const GIVEN: ReadonlySet<HistoryEntry["type"]> = new Set([
  "system_message",
  "user_message",
  "observation",
  "attachment",
] as const);

/** Returns whether a part of this format may be in its message. */
export type TakesPart = (
  part: ImagePart | FilePart | OpaquePart,
  entry: HistoryEntry,
  viewer: Viewer,
) => boolean;

const TEXTS: ReadonlySet<JsonValue | undefined> = new Set(["text", "input_text", "output_text"]);

/** Returns the text in opaque data, after its kind. Model data without text becomes an empty text. */
function textIn(data: JsonValue, role: MessageRole): string {
  if (!isJsonObject(data)) return wordsIn(data);
  const said = role === "assistant" ? wordsOf(data) : wordsIn(data);
  const kind = textOf(data["type"]) ?? textOf(data["role"]);
  if (TEXTS.has(kind) || kind === undefined) return said;
  return said === "" && role === "assistant" ? "" : `[${kind}] ${said}`.trimEnd();
}

/** Fields of a message that contain words, in this order. */
const WORDS =
  "text content parts output result functionResponse response value refusal message input arguments".split(
    " ",
  );

/** Fields of parts whose text is no words: kinds, ids, addresses, encoded data. */
const NO_WORDS =
  /^(?:type|role|ur[il]|detail|format|ttl|signature|thoughtSignature|id|.*Id|.*_(?:id|url|data|content))$|mime|media_?type/iu;

/** Fields of tool results that may contain any JSON. */
const RESULTS: ReadonlySet<string> = new Set(["output", "result", "response"]);

/** Returns the words of a message. */
function wordsOf(message: JsonObject): string {
  const found = WORDS.map((key) => (Object.hasOwn(message, key) ? message[key] : undefined));
  return found
    .map((value, at) => wordsIn(value ?? null, WORDS[at]))
    .filter(Boolean)
    .join("\n");
}

/** Returns the words of content or of a part, at any depth. */
function wordsIn(value: JsonValue, key = ""): string {
  if (typeof value === "string") {
    // Data is base64, or the text of a document.
    return NO_WORDS.test(key) || (key === "data" && !/\s/u.test(value)) ? "" : value;
  }
  const fields: readonly (readonly [key: string, value: JsonValue])[] = Array.isArray(value)
    ? value.map((one: JsonValue) => [key, one] as const)
    : Object.entries(isJsonObject(value) ? value : {});
  const words = fields.map(([inner, field]) => wordsIn(field, inner)).filter(Boolean);
  if (words.length > 0 || fields.length === 0 || !RESULTS.has(key)) return words.join("\n");
  return JSON.stringify(value);
}

/** An answer does not end with reasoning, as after an interrupted stream. */
export function leadingThoughts(source: string): WireRule {
  return {
    name: "thinking",
    source,
    remedy: "removes thinking at the end of an answer",
    entry: (entry) => {
      const last = lastThoughts(entry);
      return last.size === 0 ? entry : mapParts(entry, (part) => (last.has(part) ? [] : part));
    },
  };
}

const NONE: ReadonlySet<ContentPart> = new Set();

/** Finds the reasoning at the end of an answer, after all its text and calls. */
export function lastThoughts(entry: HistoryEntry): ReadonlySet<ContentPart> {
  const { content } = entry;
  if (typeof content !== "object" || content.at(-1)?.type !== "reasoning") return NONE;
  const inContent = content.filter(({ extra }) => extra?.["field"] === undefined).length;
  const calls = entry.type === "action" ? entry.toolCalls : [];
  // The AI SDK does not send approval requests to the model.
  const isSentLast = ({ extra = {} }: ToolCall): boolean =>
    extra["index"] === undefined && extra["as"] !== "tool-approval-request";
  const isOpen = calls.some(isSentLast);
  if (isOpen || (entry.type !== "action" && entry.type !== "assistant_message")) return NONE;
  // Reasoning before a call is not at the end.
  const places = calls.flatMap(({ extra }) => indexOf(extra?.["index"]) ?? []);
  const called = places.reduce((last, place) => Math.max(last, place), -1) + 1 - places.length;
  const before = Math.max(
    called + content.length - inContent,
    content.findLastIndex(({ type }) => type !== "reasoning") + 1,
  );
  return new Set(content.slice(before));
}

/** An opaque message of an unknown kind becomes an entry of its role, with its text; so does text in fields of another format. */
function knownMessages(source: string): WireRule {
  return {
    name: "unknown-message",
    source,
    remedy: "keeps the words, marked with the role if the role is unknown",
    entry: (entry) => {
      if (entry.type !== "assistant_message") return withWords(entry);
      if (typeof entry.content === "string") return entry;
      const [part] = entry.content;
      if (part?.type !== "opaque" || part.extra?.["as"] !== "message") return entry;
      const { origin, content: _, ...marks } = entry;
      const { extra: _extra, ...came } = origin ?? { format: "", message: "", index: 0 };
      const role = isJsonObject(part.data) ? textOf(part.data["role"]) : undefined;
      const content = isJsonObject(part.data) ? wordsOf(part.data) : wordsIn(part.data);
      const rest = { ...marks, ...(origin !== undefined && { origin: came }) };
      const type = TYPES.find(([one]) => one === role)?.[1] ?? "global_observation";
      const isSaid = type === "user_message" || type === "system_message" || content !== "";
      const isOdd = type === "global_observation" && role !== undefined;
      return isSaid ? { ...rest, type, content: isOdd ? `[${role}] ${content}` : content } : [];
    },
  };
}

const TYPES = [
  ["user", "user_message"],
  ["assistant", "assistant_message"],
  ["system", "system_message"],
  ["developer", "system_message"],
] as const;

/** Fills missing content of a user, tool or system entry with the text of fields that its format does not know. */
function withWords(entry: HistoryEntry): HistoryEntry {
  const { content, origin } = entry;
  const fields = origin?.extra?.["fields"];
  if (content?.length !== 0 || !isJsonObject(fields)) return entry;
  const words = wordsOf(fields);
  switch (entry.type) {
    case "user_message":
    case "observation":
    case "system_message":
      return words === "" ? entry : { ...entry, content: words };
    default:
      return entry;
  }
}

/**
 * If the provider refuses images and files in results, they move to a user message after the results of their action.
 *
 * @param isRefused - Returns whether a result may not contain any.
 */
export function mediaBesideResults(
  source: string,
  isRefused: (result: ObservationEntry) => boolean,
  takes: (media: ImagePart | FilePart) => boolean = () => true,
): WireRule {
  return {
    name: "media-in-result",
    source,
    remedy: "moves them to a separate message after the results, which names the call",
    repair: (entries) =>
      splitResults(entries, (entry) => {
        if (typeof entry.content === "string" || !isRefused(entry)) return { result: entry };
        const content = shownContent(entry) ?? "";
        // Media that no message accepts become lines of text.
        const { content: taken = content } = mapParts({ ...entry, content }, (part) =>
          (part.type === "image" || part.type === "file") && !takes(part) ? mediaLines(part) : part,
        );
        const split = splitResultMedia(entry, taken);
        const { sources: _, ...result } = entry;
        if (split !== undefined) {
          return { result: { ...result, content: split.inResult }, beside: split.beside };
        }
        return { result: taken === content ? entry : { ...result, content: taken } };
      }),
  };
}

/** Maps results; what they may not contain, `beside`, becomes a message after all results of their action. */
export function splitResults(
  entries: readonly HistoryEntry[],
  split: (result: ObservationEntry) => { result: ObservationEntry; beside?: Content },
): readonly HistoryEntry[] {
  const after: HistoryEntry[] = [];
  const shown = mapEntries(entries, (entry) => {
    if (entry.type !== "observation") {
      return isRendered(entry) && after.length > 0 ? [...after.splice(0), entry] : entry;
    }
    const { result, beside: content } = split(entry);
    if (content !== undefined) {
      const beside = { type: "global_observation", content } as const;
      after.push({ ...beside, ...marksOf(entry), id: `${entry.id}/shown` });
    }
    return result;
  });
  return after.length === 0 ? shown : [...shown, ...after];
}
