import type {
  Content,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  MessageRole,
  Source,
  TokenCounter,
  ToolDefinition,
} from "@agent-history/core";
import { isRendered, messageRole, renderSources } from "@agent-history/core";
import { splitResultMedia } from "@agent-history/core/result-media";

import type { CountText } from "./byte-pair-counter.ts";
import { requireTools } from "./require-tools.ts";

/** What a message has beside its role, name and content; and what a name adds to its own text. */
// Source: OpenAI cookbook, "How to count tokens with tiktoken", section 6: 3 a message, 1 a name, and 3 more because
// every reply is primed with <|start|>assistant<|message|>.
const TOKENS_PER_MESSAGE = 3;

const TOKENS_PER_NAME = 1;

const TOKENS_OF_PRIMER = 3;

// OpenAI publishes no rule for the calls in a message. They count as a message does: 3, name and arguments. Ids are not
// shown to the model and count nothing, neither of calls nor of results.
const TOKENS_PER_TOOL_CALL = 3;

/** How one family of models counts; each function gives an integer of 0 or more. */
export interface CountingRules {
  readonly id: string;
  readonly countText: CountText;
  readonly imageTokens: (image: ImagePart) => number;
  readonly fileTokens: (file: FilePart) => number;
  /** What one tool's definition adds to a request. */
  readonly toolTokens: (tool: ToolDefinition) => number;
  /** Images and files of results are shown in a user's message of their own. */
  readonly resultsAreText: boolean;
  /** What a request with tools has beside their definitions. */
  readonly tokensOfTools: number;
}

/** Creates a counter. It remembers by object, weakly: an entry or a tool is tokenized once. */
export function createCounter(rules: CountingRules): TokenCounter {
  const { id, imageTokens, fileTokens } = rules;
  const countText: CountText = (text, limit) => (text === "" ? 0 : rules.countText(text, limit));
  const roleTokens = new Map<MessageRole, number>();

  const tokensOfRole = (role: MessageRole): number => {
    const tokens = roleTokens.get(role) ?? countText(role);
    roleTokens.set(role, tokens);
    return tokens;
  };
  const partTokens = (part: ContentPart): number => {
    switch (part.type) {
      case "text":
        return countText(part.text);
      case "reasoning":
        // Where the provider hides the text, its sealed block is longer than what it seals.
        return countText(part.text || jsonText(part.data));
      case "opaque":
        return countText(jsonText(part.data));
      case "image":
        return imageTokens(part);
      case "file":
        return countText(part.name ?? "") + fileTokens(part);
    }
  };
  const contentTokens = (content: Content): number =>
    typeof content === "string" ? countText(content) : sum(content, partTokens);
  const shownTokens = (entry: HistoryEntry, content: Content): number => {
    const split = rules.resultsAreText ? splitResultMedia(entry, content) : undefined;
    if (split === undefined) return contentTokens(content);
    const beside = TOKENS_PER_MESSAGE + tokensOfRole("user") + contentTokens(split.beside);
    return contentTokens(split.inResult) + beside;
  };
  const entryTokens = remember((entry: HistoryEntry): number => {
    const name = nameOf(entry);
    const calls = entry.type === "action" ? entry.toolCalls : [];
    return (
      shownTokens(entry, renderedContent(entry)) +
      (name === undefined ? 0 : TOKENS_PER_NAME + countText(name)) +
      sum(calls, (call) => TOKENS_PER_TOOL_CALL + countText(call.name) + countText(call.arguments))
    );
  });
  const toolTokens = remember(rules.toolTokens);

  return {
    id,
    countText,
    countEntry: (entry, viewer) =>
      isRendered(entry)
        ? TOKENS_PER_MESSAGE + tokensOfRole(messageRole(entry, viewer)) + entryTokens(entry)
        : 0,
    countRequest: (tools = []) =>
      TOKENS_OF_PRIMER +
      sum(requireTools(tools), toolTokens) +
      (tools.length === 0 ? 0 : rules.tokensOfTools),
  };
}

/**
 * Returns the speaker's name, if the model sees it. A result is headed by its tool's name (OpenAI cookbook, "OpenAI harmony response
 * format"), other messages by the `name` that the provider's message came with.
 */
function nameOf(entry: HistoryEntry): string | undefined {
  if (entry.type === "observation") return entry.toolName;
  if (entry.type === "attachment" && entry.name !== undefined) return entry.name;
  const extra = entry.origin?.extra;
  const fields = extra?.["fields"];
  const name = extra?.["name"] ?? (isObject(fields) ? fields["name"] : undefined);
  return typeof name === "string" ? name : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function jsonText(data: unknown): string {
  return JSON.stringify(data) ?? "";
}

function sum<Item>(items: readonly Item[], tokensOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + tokensOf(item), 0);
}

function remember<Key extends object>(tokensOf: (key: Key) => number): (key: Key) => number {
  const known = new WeakMap<Key, number>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const tokens = tokensOf(key);
    known.set(key, tokens);
    return tokens;
  };
}

/**
 * Returns what an entry says in a prompt: the rendered form of a user's message, and sources below the content they
 * came with. Content that is missing, as in many a recording, is empty.
 */
function renderedContent(entry: HistoryEntry): Content {
  if (entry.type === "user_message") return entry.rendered ?? entry.content ?? "";
  if (entry.type === "observation" || entry.type === "global_observation") {
    return withSources(entry.content ?? "", entry.sources ?? []);
  }
  return entry.content ?? "";
}

function withSources(content: Content, sources: readonly Source[]): Content {
  const rendered = renderSources(sources);
  if (rendered === "") return content;
  if (content.length === 0) return rendered;
  if (typeof content === "string") return `${content}\n\n${rendered}`;
  return [...content, { type: "text", text: `\n\n${rendered}` }];
}
