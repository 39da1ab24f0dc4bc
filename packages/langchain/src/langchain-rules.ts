import { anthropicRules } from "@agent-history/anthropic";
import type {
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  OpaquePart,
  ReasoningPart,
  ToolCall,
} from "@agent-history/core";
import {
  combinedRules,
  commonRules,
  isJsonObject,
  leadingThoughts,
  mapCalls,
  mapEntries,
  mapParts,
  mediaLines,
  nameOf,
  objectText,
  partsOf,
  portableWeight,
  statedIds,
  textOf,
} from "@agent-history/format-kit";
import type { TargetFormat, WireRule } from "@agent-history/format-kit";
import { chatRules, responseRules } from "@agent-history/openai";

import {
  foreignContent,
  isInvalid,
  isMalformed,
  isUnlisted,
  KWARGS,
} from "./internal/langchain-parts.ts";
import { langChainFormat } from "./messages.ts";

/** Whose API a model's class speaks. */
export type LangChainProvider = "anthropic" | "openai-chat" | "openai-responses";

/** What decides which rules hold. */
export interface LangChainRuleOptions {
  /** Whose API the model's class speaks. Default: what all of them refuse is repaired. */
  readonly provider?: LangChainProvider | undefined;
}

const MESSAGES = "https://docs.langchain.com/oss/javascript/langchain/messages";
const THINKING = "https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting";

/** Returns what is refused of messages, in the order in which it is repaired. */
function langChainRules({ provider }: LangChainRuleOptions = {}): readonly WireRule[] {
  const { name } = langChainFormat;
  const names = { source: MESSAGES, isTaken: (tool: string) => /^[\w-]{1,64}$/.test(tool) };
  const ids = { source: MESSAGES, isTaken: (id: string) => /^[\w-]{0,64}$/.test(id) };
  const ofSdk = [
    ...commonRules({
      source: MESSAGES,
      format: name,
      takes,
      ...(provider === undefined && { ids, names }),
      mayBeEmpty: hasBlocks,
    }),
    ...(provider === undefined ? [] : [sentMedia(provider)]),
    statedIds(MESSAGES, ["id", "tool_call_id"]),
    ...(provider === "openai-chat" ? [saidResults] : []),
    validCalls(provider === "openai-chat" || provider === "openai-responses"),
    sentBlocks(provider),
    leadingThoughts(THINKING),
  ];
  const rules = combinedRules(ofSdk, rulesOf(provider));
  return provider === "openai-responses" ? [...rules, uniqueItems] : rules;
}

/** Of an answer that holds calls only, these are the content. */
function hasBlocks(entry: HistoryEntry): boolean {
  return (
    entry.type === "action" && entry.toolCalls.some(({ extra }) => extra?.["block"] !== undefined)
  );
}

function rulesOf(provider: LangChainProvider | undefined): readonly WireRule[] | undefined {
  const { name } = langChainFormat;
  switch (provider) {
    case "anthropic":
      return anthropicRules({}, name);
    case "openai-chat":
      return chatRules();
    case "openai-responses":
      return responseRules({}, undefined, name);
    case undefined:
      return undefined;
  }
}

/** Blocks by which a model calls a tool: what no call of the message says, nobody answers. */
const CALLS: ReadonlySet<JsonValue | undefined> = new Set([
  "tool_use",
  "tool_call",
  "function",
  "functionCall",
]);

/** Blocks that only an answer has, one that only a message of Anthropic's own has, and a text that no class sends. */
const OF_ANSWERS: ReadonlySet<JsonValue | undefined> = new Set([
  "text-plain",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "tool_result",
]);

/** Images and files stand in users' messages and results; a call stands among the calls. */
function takes(part: ImagePart | FilePart | OpaquePart, entry: HistoryEntry): boolean {
  const isAnswer = entry.type === "action" || entry.type === "assistant_message";
  if (part.type !== "opaque") return !isAnswer && entry.type !== "system_message";
  if (part.extra?.["field"] !== undefined) return true;
  if (!isJsonObject(part.data)) return false;
  const { type } = part.data;
  // A text block without a text, and what only a model says.
  return !(type === "text" || CALLS.has(type) || (!isAnswer && OF_ANSWERS.has(type)));
}

/** An empty list is refused where an empty text is not. */
const saidResults: WireRule = {
  name: "empty-list",
  source: "https://platform.openai.com/docs/api-reference/chat/create",
  remedy: "a result of no blocks becomes an empty text",
  result: (result) =>
    typeof result.content === "object" && result.content.length === 0
      ? { ...result, content: "" }
      : result,
};

/** A class sends some images and files as they are, which its API refuses, and throws at others. */
function sentMedia(provider: LangChainProvider): WireRule {
  return {
    name: "media-kind",
    source: MESSAGES,
    remedy:
      "what the model's class sends only in another block is written as that, and what it does not send as its name, URL or kind",
    part: (part) => {
      if (part.type !== "image" && part.type !== "file") return part;
      if (!isSentMedia(part, provider)) return mediaLines(part);
      const { as, ...extra } = part.extra ?? {};
      const isSent = provider === "anthropic" || as === undefined || isKnownBlock(part, provider);
      return isSent ? part : { ...part, extra };
    },
  };
}

function isSentMedia(media: ImagePart | FilePart, provider: LangChainProvider): boolean {
  const { source, mediaType = "", extra } = media;
  const kind = textOf(extra?.["kind"]) ?? media.type;
  const isAnthropic = provider === "anthropic";
  switch (kind) {
    case "image":
      if (source.kind === "data") return /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);
      return source.kind === "url";
    case "audio":
      return !isAnthropic && source.kind === "data" && /^audio\/(?:wav|mp3)$/.test(mediaType);
    case "file":
      if (provider === "openai-responses") return true;
      if (mediaType === "text/plain" && source.kind === "data")
        return !isAnthropic || extra?.["as"] === "newer";
      if (source.kind === "id") return !isAnthropic;
      return mediaType === "application/pdf" && (isAnthropic || source.kind === "data");
    default:
      return false;
  }
}

/** OpenAI's classes read images in `image_url`, and files in LangChain's older blocks; that of Responses in its newer ones, too. */
function isKnownBlock({ type, extra }: ImagePart | FilePart, provider: LangChainProvider): boolean {
  if (extra?.["as"] === "newer") return provider === "openai-responses";
  return extra?.["as"] === "older" && (type === "file" || provider === "openai-chat");
}

/** Anthropic takes no thought without its signature, OpenAI none of Anthropic's, and chat completions none at all. Of blocks OpenAI's classes send texts alone, and a list without any is refused. */
function sentBlocks(provider: LangChainProvider | undefined): WireRule {
  const isOpenAI = provider === "openai-chat" || provider === "openai-responses";
  const isSent = ({ type, extra, data }: ReasoningPart): boolean => {
    if (type !== "reasoning" || extra?.["field"] !== undefined) return true;
    if (provider === "openai-responses")
      return extra?.["as"] !== "thinking" && extra?.["as"] !== "redacted_thinking";
    const isSigned = isJsonObject(data) && nameOf(data["signature"]) !== undefined;
    if (provider !== "openai-chat" && extra?.["as"] === "redacted_thinking") return true;
    return provider !== "openai-chat" && isSigned;
  };
  const isUnsent = (part: ContentPart): boolean =>
    part.extra?.["field"] !== undefined ||
    (part.type === "text" ? !/\S/u.test(part.text) : isOpenAI && !isRefusal(part));
  // Reasoning beside the content is sent in front of calls; a blank text beside calls is not sent.
  const isBeside = ({ extra, type: kind }: ContentPart, { type }: HistoryEntry): boolean =>
    type === "action" &&
    ((extra?.["field"] !== undefined && provider === "openai-responses") ||
      (kind === "text" && extra?.["as"] === "content"));
  return {
    name: "thinking",
    source: THINKING,
    remedy:
      "thinking without its signature, or of another provider, is left out, and so are blocks that nobody is sent",
    format: langChainFormat.name,
    entry: (entry) => {
      const isEmpty = entry.type === "observation" && partsOf(entry.content).length === 0;
      if (isEmpty && isOpenAI && entry.content !== "") return { ...entry, content: "" };
      if (entry.type !== "action" && entry.type !== "assistant_message") {
        return mapParts(entry, asSaid);
      }
      const left = mapParts(entry, (part) =>
        part.type !== "reasoning" || isSent(part) ? part : [],
      );
      const parts = partsOf(left.content);
      // A content that is a text is sent, empty or not.
      if (!parts.every(isUnsent) || parts.some(({ extra }) => extra?.["as"] === "content")) {
        return left;
      }
      const isWhole = left === entry && entry.type === "action";
      if (isWhole && !(isOpenAI && !isSentRaw(entry))) return entry;
      const bare = mapParts(left, (part) => (isBeside(part, entry) ? part : []));
      return isOpenAI ? mapCalls(bare, withoutBlock) : bare;
    },
  };
}

/** Only a model thinks: with others it is a text. */
function asSaid(part: ContentPart): ContentPart | readonly ContentPart[] {
  if (part.type !== "reasoning") return part;
  return part.text === "" ? [] : { type: "text", text: part.text };
}

/** An answer that came twice names its items twice: by its id, its reasoning, and in OpenAI's copy of it. */
const uniqueItems: WireRule = {
  name: "duplicate-item",
  source: "https://community.openai.com/t/duplicate-item-found-with-id/1370460",
  remedy:
    "a later answer loses the ids, the reasoning and OpenAI's copy by which it repeats another",
  repair: (entries) => {
    const seen = new Set<string>();
    return mapEntries(entries, (entry) => {
      const ids = itemsOf(entry);
      const isRepeated = ids.some((id) => seen.has(id));
      for (const id of ids) seen.add(id);
      return isRepeated ? withoutItems(entry) : entry;
    });
  },
};

function itemsOf(entry: HistoryEntry): readonly string[] {
  const { fields } = entry.origin?.format === langChainFormat.name ? fieldsOf(entry) : {};
  if (fields === undefined) return [];
  const metadata = isJsonObject(fields["response_metadata"]) ? fields["response_metadata"] : {};
  const output = Array.isArray(metadata["output"]) ? metadata["output"] : [];
  const thoughts = partsOf(entry.content).filter(isBesideContent);
  const items = [...output, ...thoughts.map(({ data }) => data ?? null)].filter(isJsonObject);
  const id = textOf(fields["id"]);
  return [
    ...(id?.startsWith("msg_") === true ? [id] : []),
    ...new Set(items.flatMap((item) => textOf(item["id"]) ?? [])),
  ].filter((one, at, all) => all.indexOf(one) === at);
}

/** Tells reasoning that stands beside the content. */
function isBesideContent(part: ContentPart): part is ReasoningPart {
  return part.type === "reasoning" && part.extra?.["field"] !== undefined;
}

function withoutItems(entry: HistoryEntry): HistoryEntry {
  const { origin } = entry;
  const { fields } = fieldsOf(entry);
  if (origin === undefined || fields === undefined) return entry;
  const { id: _, response_metadata: metadata, ...others } = fields;
  const { output: _output, ...told }: JsonObject = isJsonObject(metadata) ? metadata : {};
  const left = { ...others, ...(isJsonObject(metadata) && { response_metadata: told }) };
  const now = mapParts(entry, (part) => (isBesideContent(part) ? [] : part));
  return { ...now, origin: { ...origin, extra: { ...origin.extra, fields: left } } };
}

function fieldsOf({ origin }: HistoryEntry): { readonly fields?: JsonObject } {
  const fields = origin?.extra?.["fields"];
  return isJsonObject(fields) ? { fields } : {};
}

function isRefusal(part: ContentPart): boolean {
  return part.type === "opaque" && isJsonObject(part.data) && part.data["type"] === "refusal";
}

/** Returns whether OpenAI is sent an answer as it came, whatever its content is. */
function isSentRaw({ origin }: HistoryEntry): boolean {
  const fields = origin?.extra?.["fields"];
  const metadata = isJsonObject(fields) ? fields["response_metadata"] : undefined;
  return isJsonObject(metadata) && Array.isArray(metadata["output"]);
}

/** The copy of a call among the blocks. */
function withoutBlock(call: ToolCall): ToolCall {
  if (call.extra?.["block"] === undefined) return call;
  const { block: _, ...extra } = call.extra;
  return { ...call, extra };
}

/** Returns what LangChain's models take, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export function langChainTarget(options: LangChainRuleOptions = {}): TargetFormat {
  return {
    rules: langChainRules(options),
    weigh: portableWeight(langChainFormat.name, foreignContent),
  };
}

/**
 * LangChain sends a malformed call only as its raw copy, and only if no call beside it is valid: then its result would answer nothing. A class that reads calls
 * nowhere else does not send those of OpenAI's list, nor one whose arguments are not an object. Each becomes a call with an object.
 */
function validCalls(isRawSent: boolean): WireRule {
  return {
    name: "invalid-tool-call",
    source: "https://github.com/langchain-ai/langchainjs/pull/11490",
    remedy: "it becomes a call whose arguments hold what the model wrote, as `_raw`",
    entry: (entry) => {
      const isFaulty = (call: ToolCall): boolean =>
        isInvalid(call) || isMalformed(call) || isUnlisted(call);
      if (entry.type !== "action" || !entry.toolCalls.some(isFaulty)) return entry;
      const isSent = (call: ToolCall): boolean =>
        isInvalid(call) && call.extra?.["raw"] !== undefined;
      if (isRawSent && entry.toolCalls.every(isSent)) return entry;
      const toolCalls = entry.toolCalls.map((call) => {
        const { extra: _, ...bare } = call;
        return isFaulty(call) ? { ...bare, arguments: objectText(call.arguments) } : call;
      });
      return withoutRawCalls({ ...entry, toolCalls });
    },
  };
}

/** Leaves out the lists of calls that say them as they were: an empty one, and OpenAI's. */
function withoutRawCalls(entry: HistoryEntry): HistoryEntry {
  const { origin } = entry;
  if (origin?.extra === undefined) return entry;
  const { fields, inner } = origin.extra;
  const extra: JsonObject = {
    ...origin.extra,
    ...(isJsonObject(fields) && { fields: withoutLists(fields) }),
    ...(isJsonObject(inner) && { inner: withoutLists(inner) }),
  };
  return { ...entry, origin: { ...origin, extra } };
}

/** Of a message, of OpenAI's data beside it, and of what either holds beside what the entry says. */
function withoutLists(fields: JsonObject): JsonObject {
  const { tool_calls: _, invalid_tool_calls: _invalid, ...others } = fields;
  const left: JsonObject = others;
  const kept = [KWARGS, "fields"].flatMap((key): [string, JsonValue][] => {
    const inner = left[key];
    return isJsonObject(inner) ? [[key, withoutLists(inner)]] : [];
  });
  return { ...left, ...Object.fromEntries(kept) };
}
