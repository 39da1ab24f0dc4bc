import { anthropicRules } from "@agent-history/anthropic";
import type {
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  OpaquePart,
  ReasoningPart,
} from "@agent-history/core";
import {
  combinedRules,
  commonRules,
  dataOf,
  isJsonObject,
  leadingThoughts,
  mapCalls,
  mapEntries,
  mapParts,
  mediaLines,
  nameOf,
  objectOf,
  objectText,
  partsOf,
  portableWeight,
  statedIds,
  textOf,
} from "@agent-history/format-kit";
import type { TargetFormat, WireRule } from "@agent-history/format-kit";
import { chatRules, responseRules } from "@agent-history/openai";

import { foreignContent, isFaulty, keyOf } from "./internal/langchain-parts.ts";
import { langChainFormat } from "./messages.ts";

/** The provider whose API a model's class speaks. */
export type LangChainProvider = "anthropic" | "openai-chat" | "openai-responses";

/** Options that select the rules. */
export interface LangChainRuleOptions {
  /** The provider whose API the model's class speaks. Default: only what all of them refuse is repaired. */
  readonly provider?: LangChainProvider | undefined;
}

const MESSAGES = "https://docs.langchain.com/oss/javascript/langchain/messages";
const THINKING = "https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting";

/** Returns the rules in the order of their repairs. */
function langChainRules({ provider }: LangChainRuleOptions = {}): readonly WireRule[] {
  const { name } = langChainFormat;
  const names = { source: MESSAGES, isTaken: (tool: string) => /^[\w-]{1,64}$/.test(tool) };
  const ids = { source: MESSAGES, isTaken: (id: string) => /^[\w-]{0,64}$/.test(id) };
  const ofSdk = [
    ...commonRules({
      source: MESSAGES,
      format: name,
      takes: (part, entry) => takes(part, entry, provider),
      ...(provider === undefined && { ids, names }),
    }),
    ...(provider === undefined ? [] : [sentMedia(provider)]),
    ...(provider === "anthropic" ? [knownTypes, interruptedCalls] : []),
    statedIds(MESSAGES, ["id", "tool_call_id"]),
    validCalls,
    sentBlocks(provider),
    leadingThoughts(THINKING),
  ];
  const rules = combinedRules(ofSdk, rulesOf(provider));
  return provider === "openai-responses" ? [...rules, uniqueItems] : rules;
}

function rulesOf(provider: LangChainProvider | undefined): readonly WireRule[] | undefined {
  const { name } = langChainFormat;
  if (provider === "anthropic") return anthropicRules({}, name);
  if (provider === "openai-chat") return chatRules();
  return provider && responseRules({}, undefined, name);
}

/** Blocks that call a tool. One that matches no call of the message would stay unanswered. */
const CALLS = /^(?:tool_use|tool_call|function|functionCall)$/u;

/** Blocks that are valid only in answers, one only in Anthropic's own messages, and a text block that no class sends. */
const OF_ANSWERS = /^(?:text-plain|thinking|redacted_thinking|server_tool_use|tool_result)$/u;

/** The other blocks that OpenAI's class sends to chat completions as they are, and its API accepts. */
const OF_CHAT = /^(?:input_audio|file|refusal)$/u;

/** The other blocks that Anthropic's class sends. */
const OF_ANTHROPIC =
  /(?:_tool_use|_result)$|^(?:compaction|container_upload|document|input_json_delta|search_result|text_delta)$/u;

/** Images and files are valid in user messages and results; calls are valid only in the call list. */
function takes(
  part: ImagePart | FilePart | OpaquePart,
  entry: HistoryEntry,
  provider: LangChainProvider | undefined,
): boolean {
  const isAnswer = isOfModel(entry);
  if (part.type !== "opaque") return !isAnswer && entry.type !== "system_message";
  if (part.extra?.["field"] !== undefined || keyOf(part) !== undefined) return true;
  if (!isJsonObject(part.data)) return false;
  const kind = textOf(part.data["type"]) ?? "";
  const isChat = provider === "openai-chat";
  if (isChat && (!OF_CHAT.test(kind) || isAnswer !== (kind === "refusal"))) return false;
  // Its class converts LangChain's standard blocks of a message that is marked as of version 1.
  const isOld = metadataOf(entry)["output_version"] !== "v1";
  if (provider === "anthropic" && isOld && !OF_ANTHROPIC.test(kind)) return false;
  // Refuse a text block without text, and blocks that only a model may write.
  return !(kind === "text" || CALLS.test(kind) || (!isAnswer && OF_ANSWERS.test(kind)));
}

function isOfModel({ type }: HistoryEntry): boolean {
  return type === "action" || type === "assistant_message";
}

/** Anthropic's class throws for a message with a role of its own (`ChatMessage`). */
const knownTypes: WireRule = {
  name: "message-type",
  source: MESSAGES,
  remedy: "writes the message by its role",
  format: langChainFormat.name,
  extra: (extra) => {
    const { type, ...others } = extra;
    return type === "generic" ? others : extra;
  },
};

/** Anthropic refuses a call of its own tools without a result, and a result without a call. */
const interruptedCalls: WireRule = {
  name: "interrupted-call",
  source: "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
  remedy: "removes the provider's call that has no result, or its result that has no call",
  repair: (entries) => {
    const blocks = entries.filter(isOfModel).flatMap(({ content }) => partsOf(content).map(dataOf));
    const called = new Set(blocks.filter(isServerCall).map(({ id }) => id));
    const answered = new Set(blocks.map(({ tool_use_id: id }) => id));
    const isLost = (part: ContentPart): boolean => {
      const { id, tool_use_id: resultOf } = dataOf(part);
      if (resultOf !== undefined) return !called.has(resultOf);
      return isServerCall(dataOf(part)) && !answered.has(id);
    };
    return mapEntries(entries, (entry) =>
      isOfModel(entry) ? mapParts(entry, (part) => (isLost(part) ? [] : part)) : entry,
    );
  },
};

function isServerCall({ type }: JsonObject): boolean {
  return type === "server_tool_use" || type === "mcp_tool_use";
}

/** A class sends some media unchanged, which its API refuses, and throws for others. */
function sentMedia(provider: LangChainProvider): WireRule {
  return {
    name: "media-kind",
    source: MESSAGES,
    remedy:
      "rewrites a block in the form that the model's class sends, or as its name, URL or kind if there is none",
    part: (part) => {
      if (part.type !== "image" && part.type !== "file") return part;
      if (!isSentMedia(part, provider)) return mediaLines(part);
      const { as, bare, ...extra } = part.extra ?? {};
      const isTaken = as === undefined ? bare === undefined : isKnownBlock(part, provider);
      return provider === "anthropic" || isTaken ? part : { ...part, extra };
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

/** OpenAI's classes read images in `image_url`, and files in LangChain's older blocks; the Responses class also reads its newer blocks. */
function isKnownBlock({ type, extra }: ImagePart | FilePart, provider: LangChainProvider): boolean {
  if (extra?.["as"] === "newer") return provider === "openai-responses";
  return extra?.["as"] === "older" && (type === "file" || provider === "openai-chat");
}

/** Anthropic refuses thinking without a signature and a cache mark on it, OpenAI refuses Anthropic's thinking, and chat completions refuse all. OpenAI's classes send only text blocks, and a list without any is refused. */
function sentBlocks(provider: LangChainProvider | undefined): WireRule {
  const isOpenAI = provider === "openai-chat" || provider === "openai-responses";
  const isSent = ({ extra, data }: ReasoningPart): boolean => {
    if (extra?.["field"] !== undefined) return true;
    const isRedacted = extra?.["as"] === "redacted_thinking";
    if (isOpenAI) return provider !== "openai-chat" && !isRedacted && extra?.["as"] !== "thinking";
    return isRedacted || nameOf(objectOf(data)["signature"]) !== undefined;
  };
  const isUnsent = (part: ContentPart): boolean =>
    part.extra?.["field"] !== undefined ||
    (part.type === "text" ? !/\S/u.test(part.text) : dataOf(part)["type"] !== "refusal");
  return {
    name: "thinking",
    source: THINKING,
    remedy:
      "removes thinking that has no signature or is from another provider, and blocks that are never sent",
    format: langChainFormat.name,
    part: (part, entry) => {
      if (part.type !== "reasoning" || !isOfModel(entry)) return part;
      const { cache_control: mark, ...data } = objectOf(part.data);
      return isSent(part) ? (mark === undefined ? part : { ...part, data }) : [];
    },
    entry: (entry) => {
      const { type, content } = entry;
      const parts = partsOf(content);
      // String content is always sent, even if empty.
      const isString = content === "" || parts.some(({ extra }) => extra?.["as"] === "content");
      if (!isOpenAI || isString || !parts.every(isUnsent)) return entry;
      if (type === "observation") return { ...entry, content: "" };
      // LangChain sends OpenAI's own copy of an answer, and reasoning beside the content before the calls.
      const isOfResponses = type === "action" && provider === "openai-responses";
      const isCopied = isOfResponses && Array.isArray(metadataOf(entry)["output"]);
      if (!isOfModel(entry) || isCopied) return entry;
      return mapParts(entry, (part) =>
        isOfResponses && part.extra?.["field"] !== undefined ? part : [],
      );
    },
  };
}

/** An answer that occurs twice repeats its item ids: in its id, its reasoning, and OpenAI's copy of the answer. */
const uniqueItems: WireRule = {
  name: "duplicate-item",
  source: "https://community.openai.com/t/duplicate-item-found-with-id/1370460",
  remedy:
    "removes ids, reasoning and OpenAI's copy from a later answer if they repeat those of another",
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
  if (entry.origin?.format !== langChainFormat.name) return [];
  const { output } = metadataOf(entry);
  const id = textOf(fieldsOf(entry)["id"]);
  // Reasoning that was stored beside the content.
  const thoughts = partsOf(entry.content).map((part) =>
    part.type === "reasoning" && part.extra?.["field"] !== undefined ? (part.data ?? null) : null,
  );
  const items = [...(Array.isArray(output) ? output : []), ...thoughts].map(objectOf);
  const ids = items.flatMap((item) => textOf(item["id"]) ?? []);
  return id?.startsWith("msg_") === true ? [id, ...ids] : ids;
}

/** Returns an answer without data that only LangChain writes. */
function withoutItems(entry: HistoryEntry): HistoryEntry {
  const { origin: _, ...said } = mapParts(entry, (part) => (part.type === "reasoning" ? [] : part));
  return mapCalls(said, ({ extra: _extra, ...call }) => call);
}

/** Returns the fields of a message that an entry does not have. */
function fieldsOf({ origin }: HistoryEntry): JsonObject {
  return objectOf(origin?.extra?.["fields"]);
}

function metadataOf(entry: HistoryEntry): JsonObject {
  return objectOf(fieldsOf(entry)["response_metadata"]);
}

/** Returns the rules of LangChain's models, and the weight of an entry there. Used by `fitForTarget` of `@agent-history/format-kit`. */
export function langChainTarget(options: LangChainRuleOptions = {}): TargetFormat {
  return {
    rules: langChainRules(options),
    weigh: portableWeight(langChainFormat.name, foreignContent),
  };
}

/** LangChain sends a malformed call only as its raw copy, and only if no valid call is beside it; and classes that ignore other lists do not send calls of OpenAI's raw list, nor calls whose arguments are not an object. */
const validCalls: WireRule = {
  name: "invalid-tool-call",
  source: "https://github.com/langchain-ai/langchainjs/pull/11490",
  remedy: "turns it into a call with the model's text as `_raw` in its arguments",
  call: (call) => {
    const { extra: _, ...bare } = call;
    return isFaulty(call) ? { ...bare, arguments: objectText(call.arguments) } : call;
  },
};
