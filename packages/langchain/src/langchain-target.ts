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
  blankText,
  callIds,
  isJsonObject,
  knownMessages,
  leadingThoughts,
  mapEntries,
  mapParts,
  objectText,
  pairedCalls,
  partsOf,
  partsOfRole,
  portableWeight,
  statedIds,
  toolNames,
  uniqueCalls,
  wellFormedText,
} from "@agent-history/format-kit";
import type { TargetFormat, WireRule } from "@agent-history/format-kit";
import { chatRules, responseRules } from "@agent-history/openai";

import { langChainFormat } from "./internal/langchain-format.ts";
import { foreignContent, isInvalid, KWARGS } from "./internal/langchain-parts.ts";

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
export function langChainRules({ provider }: LangChainRuleOptions = {}): readonly WireRule[] {
  const { name } = langChainFormat;
  return [
    wellFormedText("https://github.com/anthropics/claude-code/issues/56064"),
    knownMessages(MESSAGES),
    partsOfRole(MESSAGES, name, takes),
    statedIds(MESSAGES, ["id", "tool_call_id"]),
    validCalls(provider === "openai-chat" || provider === "openai-responses"),
    sentThoughts(provider),
    leadingThoughts(THINKING),
    ...rulesOf(provider),
    blankText(MESSAGES, name),
  ];
}

function rulesOf(provider: LangChainProvider | undefined): readonly WireRule[] {
  const { name } = langChainFormat;
  switch (provider) {
    case "anthropic":
      return anthropicRules({}, name);
    case "openai-chat":
      return chatRules({}, name);
    case "openai-responses":
      return responseRules({}, undefined, name);
    case undefined:
      return [
        pairedCalls(MESSAGES),
        callIds({ source: MESSAGES, isTaken: (id) => /^[\w-]{1,64}$/.test(id) }),
        uniqueCalls(MESSAGES),
        toolNames({ source: MESSAGES, isTaken: (tool) => /^[\w-]{1,64}$/.test(tool) }),
      ];
  }
}

/** Blocks by which a model calls a tool: what no call of the message says, nobody answers. */
const CALLS: ReadonlySet<JsonValue | undefined> = new Set([
  "tool_use",
  "tool_call",
  "function",
  "functionCall",
]);

/** Images and files stand in users' messages and results; a call stands among the calls. */
function takes(part: ImagePart | FilePart | OpaquePart, entry: HistoryEntry): boolean {
  const isAnswer = entry.type === "action" || entry.type === "assistant_message";
  if (part.type !== "opaque") return !isAnswer && entry.type !== "system_message";
  if (part.extra?.["field"] !== undefined) return true;
  return !(isJsonObject(part.data) && CALLS.has(part.data["type"]));
}

/** Anthropic takes no thought without its signature, OpenAI none of Anthropic's, and chat completions none at all. */
function sentThoughts(provider: LangChainProvider | undefined): WireRule {
  const isSent = ({ type, extra, data }: ReasoningPart): boolean => {
    if (type !== "reasoning" || extra?.["field"] !== undefined) return true;
    if (provider === "openai-responses") return extra?.["as"] !== "thinking";
    const isSigned = isJsonObject(data) && typeof data["signature"] === "string";
    return provider !== "openai-chat" && isSigned;
  };
  return {
    name: "thinking",
    source: THINKING,
    remedy: "thinking without its signature, or of another provider, is left out",
    repair: (entries) =>
      mapEntries(entries, (entry) => {
        const left = mapParts(entry, (part) =>
          part.type !== "reasoning" || isSent(part) ? part : [],
        );
        const isUnsent = (part: ContentPart): boolean =>
          (part.type === "reasoning" && part.extra?.["field"] !== undefined) ||
          (part.type === "text" && !/\S/u.test(part.text));
        // What stands beside the content alone is not sent.
        const saysNothing = partsOf(left.content).every(isUnsent);
        const isEmpty = saysNothing && (left.type === "assistant_message" || left !== entry);
        return isEmpty ? mapParts(left, () => []) : left;
      }),
  };
}

/** Returns what LangChain's models take, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export function langChainTarget(options: LangChainRuleOptions = {}): TargetFormat {
  return {
    rules: langChainRules(options),
    weigh: portableWeight(langChainFormat.name, foreignContent),
  };
}

/**
 * LangChain sends a malformed call only as its raw copy, and only if no call beside it is valid: then its result would answer nothing. Where that is so, it is sent as a call with an object.
 */
function validCalls(isRawSent: boolean): WireRule {
  return {
    name: "invalid-tool-call",
    source: "https://github.com/langchain-ai/langchainjs/pull/11490",
    remedy: "it becomes a call whose arguments hold what the model wrote, as `_raw`",
    repair: (entries) =>
      mapEntries(entries, (entry) => {
        if (entry.type !== "action" || !entry.toolCalls.some(isInvalid)) return entry;
        const isSent = (call: ToolCall): boolean =>
          isInvalid(call) && call.extra?.["raw"] !== undefined;
        if (isRawSent && entry.toolCalls.every(isSent)) return entry;
        const toolCalls = entry.toolCalls.map((call) => {
          const { extra: _, ...bare } = call;
          return isInvalid(call) ? { ...bare, arguments: objectText(call.arguments) } : call;
        });
        return withoutRawCalls({ ...entry, toolCalls });
      }),
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
