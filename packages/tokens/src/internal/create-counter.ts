import type {
  Content,
  ContentPart,
  CountLimit,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  MediaCount,
  MessageRole,
  TokenCounter,
  ToolDefinition,
} from "@agent-history/core";
import { HistoryError, isObject, isRendered, messageRole } from "@agent-history/core";
import { contentHash, splitResultMedia, withSources } from "@agent-history/core/kit";

import { mediaCounter, type MediaRules, type OwnRules } from "./media-tokens.ts";
import type { CountText } from "./text-counter.ts";

/** Tokens of a message besides its role, name and content, and of a name besides its text. */
// Source: OpenAI cookbook, "How to count tokens with tiktoken", section 6: 3 a message, 1 a name, and 3 more because
// every reply is primed with <|start|>assistant<|message|>.
const TOKENS_PER_MESSAGE = 3;

/** No window is larger, so a longer text is not tokenized any further. */
const LARGEST_WINDOW = { atMost: 10_000_000 };

const TOKENS_PER_NAME = 1;

const TOKENS_OF_PRIMER = 3;

/**
 * Base64 of encrypted reasoning. Providers bill the reasoning that it hides; the text beside it is a part or a summary of that. Four characters are three bytes,
 * at most about one token.
 */
const SEALS = /[\w+/=-]{64,}/gu;
const CHARACTERS_PER_SEALED_TOKEN = 4;

// OpenAI publishes no rule for the calls in a message. They count as a message does: 3, name and arguments. Ids are not
// shown to the model and count nothing, neither of calls nor of results.
const TOKENS_PER_TOOL_CALL = 3;

/** The counting rules of a family of models; each function returns a non-negative integer. */
export interface CountingRules {
  readonly id: string;
  readonly countText: CountText;
  readonly media: MediaRules;
  readonly own: OwnRules;
  /** Tokens that a tool definition adds to a request. */
  readonly toolTokens: (tool: ToolDefinition) => number;
  /** Images and files of results are sent in a separate user message. */
  readonly resultsAreText: boolean;
  /** Tokens of a request with tools besides their definitions. */
  readonly tokensOfTools: number;
}

/** Creates a counter. It caches weakly by object: an entry or a tool is tokenized once. */
export function createCounter(rules: CountingRules): TokenCounter {
  const { id, countText } = rules;
  const mediaOf = remember(mediaCounter(rules.media, rules.own, rules.countText));
  const textTokens = (text: string): number => countText(text, LARGEST_WINDOW);
  const roleTokens = new Map<MessageRole, number>();

  const tokensOfRole = (role: MessageRole): number => {
    const tokens = roleTokens.get(role) ?? textTokens(role);
    roleTokens.set(role, tokens);
    return tokens;
  };
  const { partTokens, fieldTokens } = partCounter(textTokens, mediaOf);
  const contentTokens = (content: Content): number =>
    typeof content === "string" ? textTokens(content) : sum(content, partTokens);
  const shownTokens = (entry: HistoryEntry, content: Content): number => {
    const isText = typeof content === "string" || !rules.resultsAreText;
    const split = isText ? undefined : splitResultMedia(entry, content);
    if (split === undefined) return contentTokens(content);
    const beside = TOKENS_PER_MESSAGE + tokensOfRole("user") + contentTokens(split.beside);
    return contentTokens(split.inResult) + beside;
  };
  const entryTokens = remember((entry: HistoryEntry): number => {
    const name = nameOf(entry);
    const calls = entry.type === "action" ? entry.toolCalls : [];
    return (
      shownTokens(entry, renderedContent(entry)) +
      (name === undefined ? 0 : TOKENS_PER_NAME + textTokens(name)) +
      fieldTokens(withoutName(entry.origin?.extra)) +
      sum(
        calls,
        (call) =>
          TOKENS_PER_TOOL_CALL +
          textTokens(call.name) +
          textTokens(call.arguments) +
          fieldTokens(call.extra),
      )
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
    countMedia: (entry) => {
      const content = isRendered(entry) ? renderedContent(entry) : "";
      return typeof content === "string" ? [] : content.filter(isMedia).map(mediaOf);
    },
    countRequest: (tools = []) =>
      TOKENS_OF_PRIMER +
      sum(requireTools(tools), toolTokens) +
      (tools.length === 0 ? 0 : rules.tokensOfTools),
  };
}

/** Names custom rules by the text of their functions, so that different rules have different ids. */
export function ownRulesName({ imageTokens, fileTokens }: OwnRules): string {
  if (imageTokens === undefined && fileTokens === undefined) return "";
  return `+${contentHash([String(imageTokens), String(fileTokens)]).slice(0, 8)}`;
}

function partCounter(
  textTokens: (text: string) => number,
  mediaOf: (media: ImagePart | FilePart) => MediaCount,
): {
  readonly partTokens: (part: ContentPart) => number;
  /** Counts any other field that is sent, as JSON. */
  readonly fieldTokens: (fields: JsonValue | undefined) => number;
} {
  const fieldTokens = (fields: JsonValue | undefined): number =>
    fields === undefined ? 0 : textTokens(jsonText(shownFields(fields)));
  const reasoningTokens = (text: string, data: string): number => {
    const sealed = (data.match(SEALS) ?? []).join("").length / CHARACTERS_PER_SEALED_TOKEN;
    const rest = textTokens(text) + textTokens(data.replace(SEALS, ""));
    return Math.max(rest, Math.ceil(sealed));
  };
  const partTokens = (part: ContentPart): number => {
    const more = fieldTokens(part.extra);
    switch (part.type) {
      case "text":
        return more + textTokens(part.text);
      case "reasoning":
        return more + reasoningTokens(part.text, jsonText(shownFields(part.data)));
      case "opaque":
        return more + textTokens(jsonText(part.data));
      case "image":
        return more + mediaOf(part).tokens;
      case "file":
        return more + textTokens(part.name ?? "") + mediaOf(part).tokens;
    }
  };
  return { partTokens, fieldTokens };
}

/**
 * Returns the limit for a counter whose counts are multiplied by `factor` and rounded up: a count above it is above
 * `limit` after the multiplication.
 */
export function dividedLimit({ atMost = Infinity }: CountLimit = {}, factor: number): CountLimit {
  return { atMost: Math.ceil(atMost / factor) };
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

/** Returns what `extra` has beside the name that {@link nameOf} finds: empty text counts nothing. */
function withoutName(extra: JsonObject | undefined): JsonObject | undefined {
  const fields = extra?.["fields"];
  const others = isObject(fields) ? { fields: { ...fields, name: "" } } : undefined;
  return extra && { ...extra, name: "", ...others };
}

/**
 * Fields that are neither shown to the model nor billed: names, cache marks, and notes of `extra` for the format
 * alone, such as the position of a part.
 */
const UNSHOWN: ReadonlySet<string> = new Set(
  "id type role status call_id tool_call_id itemId provider_id cache_control cacheControl as field index late without bare value".split(
    " ",
  ),
);
/** Returns the fields of an object that count; `undefined` if none does. Empty values and flags do not count. */
function shownFields(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === "string" || typeof value === "number")
    return value === "" ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.flatMap((item: JsonValue) => shownFields(item) ?? []);
    return items.length === 0 ? undefined : items;
  }
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const shown = UNSHOWN.has(key) ? undefined : shownFields(field);
    return shown === undefined ? [] : [[key, shown] as const];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function isMedia(part: ContentPart): part is ImagePart | FilePart {
  return part.type === "image" || part.type === "file";
}

function jsonText(data: unknown): string {
  return JSON.stringify(data) ?? "";
}

function sum<Item>(items: readonly Item[], tokensOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + tokensOf(item), 0);
}

function remember<Key extends object, Value>(valueOf: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = valueOf(key);
    known.set(key, value);
    return value;
  };
}

/**
 * Returns the content of an entry in a prompt: the rendered form of a user message, and sources below their
 * content. Missing content is empty.
 */
function renderedContent(entry: HistoryEntry): Content {
  if (entry.type === "user_message") return entry.rendered ?? entry.content ?? "";
  if (entry.type === "observation" || entry.type === "global_observation") {
    return withSources(entry.content ?? "", entry.sources ?? []);
  }
  return entry.content ?? "";
}

/** Maximum depth of a schema. */
const MAX_DEPTH = 256;

/** Refuses tools of another shape: they would count as nothing, and the request could overflow. */
function requireTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  if (!Array.isArray(tools)) throw invalid();
  for (const tool of tools) {
    const { name, description, parameters }: Readonly<Record<string, unknown>> = { ...tool };
    const isTool =
      typeof name === "string" &&
      name !== "" &&
      (description === undefined || typeof description === "string") &&
      (parameters === undefined || isSchema(parameters));
    if (!isTool) throw invalid();
  }
  return tools;
}

function isSchema(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !("~standard" in value) && isJson(value, MAX_DEPTH);
}

function isJson(value: unknown, levels: number): boolean {
  if (typeof value === "function" || typeof value === "bigint") return false;
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((field) => isJson(field, levels - 1));
}

function invalid(): HistoryError {
  return new HistoryError(
    `Expected each of \`tools\` to be { name, description?, parameters? }, with a JSON Schema of at most ${MAX_DEPTH} levels. Use toToolDefinitions of your format.`,
    { code: "INVALID_OPTION", details: { option: "tools" } },
  );
}
