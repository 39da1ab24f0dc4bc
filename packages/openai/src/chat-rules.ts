import { isRendered, messageRole } from "@agent-history/core";
import type {
  ActionEntry,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  OpaquePart,
  ToolCall,
  Viewer,
} from "@agent-history/core";
import {
  allowedExtra,
  beginsWithUser,
  cameWith,
  commonRules,
  endsWithUser,
  isJsonObject,
  knownFields,
  mapEntries,
  mapResults,
  mediaBesideResults,
  objectArguments,
  partsOf,
  plainText,
  portableContent,
  safeName,
  sentFields,
  statedIds,
  textOf,
  withoutKeys,
} from "@agent-history/format-kit";
import type { AllowedFields, WireRule } from "@agent-history/format-kit";

import { CHAT_FORMAT, isFunctionCall, isTakenMedia } from "./internal/chat-parts.ts";
import { SIGNED_FIELDS } from "./internal/read-chat.ts";
import { argumentsText } from "./openai-rules.ts";
import type { OpenAIHost, OpenAIRuleOptions } from "./openai-rules.ts";

const REFERENCE = "https://platform.openai.com/docs/api-reference/chat/create";
const CALLS = "https://developers.openai.com/api/docs/guides/function-calling";
const MISTRAL =
  "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py";
const GEMINI = "https://ai.google.dev/gemini-api/docs/thought-signatures";

/** Returns the rules of chat completions, in the order in which they are repaired. */
export function chatRules({ host = "openai" }: OpenAIRuleOptions = {}): readonly WireRule[] {
  const isOpenAI = host === "openai";
  // Other hosts do not document which other fields they ignore or refuse.
  const isStrict = isOpenAI || host === "gemini";
  return [
    ...commonRules({
      source: REFERENCE,
      format: CHAT_FORMAT,
      takes: (part, entry, viewer) => takes(part, entry, viewer, isStrict),
      names: { source: CALLS, isTaken: (name) => /^[\w-]{1,64}$/.test(name) },
      ids: host === "mistral" ? MISTRAL_IDS : CHAT_IDS,
      ...(isOpenAI && { isBlank: () => false, mayBeEmpty: isEmptyText }),
    }),
    ...(isStrict ? [fieldsOf(host)] : host === "groq" ? [GROQ_FIELDS] : [OUTPUT_FIELDS]),
    ...(isStrict || host === "groq" ? [withoutThoughts] : []),
    argumentsText(REFERENCE),
    statedIds(CALLS, ["id", "tool_call_id"]),
    emptyResults,
    oddFields,
    authorNames,
    audioIds,
    ...(isOpenAI
      ? []
      : [objectArguments("https://github.com/OpenHands/software-agent-sdk/issues/2887")]),
    mediaBesideResults(REFERENCE, () => true, isTakenMedia),
    toolResultsFirst,
    ...hostRules(host),
  ];
}

/** Rules that `toChatMessages` applies to entries of other formats. */
export const foreignChatRules: readonly WireRule[] = [
  mediaBesideResults(REFERENCE, isForeign, isTakenMedia),
];

export function isForeign({ origin }: HistoryEntry): boolean {
  return origin?.format !== CHAT_FORMAT;
}

const CHAT_IDS = {
  source: "https://github.com/jin-bo/agentao/pull/321",
  isTaken: (id: string) => id.length <= 64,
};

const MISTRAL_IDS = {
  source: MISTRAL,
  isTaken: (id: string) => /^(?:[a-zA-Z0-9]{9})?$/.test(id),
  rename: (id: string) =>
    safeName(id)
      .replaceAll(/[^a-zA-Z0-9]/gu, "")
      .slice(-9)
      .padStart(9, "0"),
};

function hostRules(host: OpenAIHost): readonly WireRule[] {
  switch (host) {
    case "mistral":
      return [
        beginsWithUser(MISTRAL, "(The assistant begins.)"),
        endsWithUser(MISTRAL, "(Continue.)"),
        answerAfterResults,
      ];
    case "deepseek":
      return [thoughtsOfAll];
    case "gemini":
      return [
        beginsWithUser(GEMINI, "(The assistant begins.)"),
        endsWithUser(GEMINI, "(Continue.)"),
        signedCalls,
      ];
    case "openai":
    case "compatible":
    case "groq":
    case "openrouter":
    case "vllm":
      return [];
  }
}

/** OpenAI accepts images and files only in user messages; `mediaBesideResults` handles results. */
function takes(
  part: ImagePart | FilePart | OpaquePart,
  entry: HistoryEntry,
  viewer: Viewer,
  isStrict: boolean,
): boolean {
  const role = messageRole(entry, viewer);
  const { field } = part.extra ?? {};
  if (part.type === "opaque") return field === "audio" || (!isStrict && field === undefined);
  if (role === "tool") return true;
  return role === "user" && part.source.kind !== "text" && (!isStrict || isTakenMedia(part));
}

const CALL_FIELDS: AllowedFields = { function: {}, custom: {} };
const PART_FIELDS = sentFields("prompt_cache_breakpoint", {
  image_url: {},
  input_audio: {},
  file: {},
});
const MESSAGE_FIELDS = sentFields("role name", { content: "absent", tool_call_id: "absent" });

/** OpenAI's fields; Gemini has one more, for signatures. */
function fieldsOf(host: OpenAIHost): WireRule {
  const signed: AllowedFields = host === "gemini" ? { extra_content: true } : {};
  const ofAnswers: AllowedFields = { ...MESSAGE_FIELDS, ...signed, refusal: true };
  const ofActions: AllowedFields = { ...ofAnswers, content: true };
  return knownFields(REFERENCE, {
    format: CHAT_FORMAT,
    message: ({ type }) =>
      type === "action" ? ofActions : type === "assistant_message" ? ofAnswers : MESSAGE_FIELDS,
    part: () => PART_FIELDS,
    call: { ...CALL_FIELDS, ...signed },
  });
}

/** Fields of answers that servers do not accept back. */
const OUTPUT = ["parsed", "annotations", "tool_calls", "function_call"];

const OUTPUT_FIELDS = withoutFields("https://github.com/openai/openai-python/issues/3008", OUTPUT);
const GROQ_FIELDS = withoutFields("https://github.com/agentjido/req_llm/issues/772", [
  ...OUTPUT,
  "reasoning",
  "reasoning_content",
  ...SIGNED_FIELDS,
]);

/** Removes fields of messages, and fields of calls that the SDK added when parsing. */
function withoutFields(source: string, keys: readonly string[]): WireRule {
  return {
    name: "unknown-field",
    source,
    remedy: "removes fields of answers, and turns a `function_call` into a tool call",
    format: CHAT_FORMAT,
    call: (call) => {
      // Only OpenAI knows the deprecated `function_call`.
      const { as: _, ...extra } = call.extra ?? {};
      const kept = allowedExtra(extra, { ...CALL_FIELDS, extra_content: true });
      return kept === extra && !isFunctionCall(call) ? call : { ...call, extra: kept };
    },
    extra: (extra) => {
      const { as, ...others } = extra;
      return withoutKeys(as === "function" ? others : extra, keys);
    },
  };
}

/** Returns whether an entry is an empty string, which the API accepts, unlike an empty array or `null`. */
function isEmptyText({ content, origin }: HistoryEntry): boolean {
  const { fields, without } = origin?.extra ?? {};
  const isNull = isJsonObject(fields) && Object.hasOwn(fields, "content");
  const isAbsent = Array.isArray(without) && without.includes("content");
  return content === "" && !isNull && !isAbsent;
}

/** A result has content: the API accepts an empty text, but no empty list, `null`, or missing field. */
const emptyResults: WireRule = {
  name: "empty-result",
  source: REFERENCE,
  remedy: "replaces the content of a result without any with an empty text",
  extra: (extra, { type }) => (type === "observation" ? withoutKeys(extra, ["content"]) : extra),
  result: (result) => {
    const { content, origin } = result;
    // The content of a `function` message is one text.
    const isText = origin?.extra?.["as"] === "function" && !isForeign(result);
    const isBare =
      typeof content === "object" &&
      (content.length === 0 || (isText && content.every(({ type }) => type === "text")));
    return isBare ? { ...result, content: plainText(content) } : result;
  },
};

/** A `refusal` beside one of text, and the `content` of calls, is `null` or absent. */
const oddFields: WireRule = {
  name: "unknown-field",
  source: REFERENCE,
  remedy: "removes a `refusal` or `content` that is neither text nor `null`",
  format: CHAT_FORMAT,
  extra: (extra) => {
    const fields = objectIn(extra["fields"]);
    const odd = ["refusal", "content"].filter((key) => (fields[key] ?? "") !== "");
    return odd.length === 0 ? extra : withoutKeys(extra, odd);
  },
};

/** The results of `tool_calls` directly follow them, before the `function` message of a `function_call` in the same answer. */
const toolResultsFirst: WireRule = {
  name: "function-result",
  source: CALLS,
  remedy: "moves the result of a `function_call` after those of the `tool_calls` beside it",
  repair: (entries) => {
    const late = new Set<HistoryEntry>();
    mapResults(entries, (result, call) => {
      if (isFunctionCall(call)) late.add(result);
      return result;
    });
    if (late.size === 0) return entries;
    const held: HistoryEntry[] = [];
    const sorted = entries.flatMap((entry): readonly HistoryEntry[] => {
      if (!late.has(entry))
        return entry.type === "observation" ? [entry] : [...held.splice(0), entry];
      held.push(entry);
      return [];
    });
    const all = [...sorted, ...held];
    return all.every((entry, index) => entry === entries[index]) ? entries : all;
  },
};

function isThought(part: ContentPart): boolean {
  return part.type === "reasoning";
}

/** `reasoning_content` is a field of DeepSeek and providers that adopted it. */
const withoutThoughts: WireRule = {
  name: "foreign-reasoning",
  source: REFERENCE,
  remedy: "removes `reasoning_content`",
  format: CHAT_FORMAT,
  part: (part) => (isThought(part) ? [] : part),
};

/** DeepSeek requires the reasoning of every answer if the request has tools. */
const thoughtsOfAll: WireRule = {
  name: "missing-reasoning",
  source: "https://github.com/QwenLM/qwen-code/issues/3658",
  remedy: "adds an empty `reasoning_content` to an answer whose reasoning is lost",
  entry: (entry) => {
    if (entry.type !== "assistant_message" && entry.type !== "action") return entry;
    const parts = partsOf(entry.content).map((part): ContentPart =>
      // DeepSeek takes one text as content.
      typeof entry.content === "string" ? { ...part, extra: { as: "content" } } : part,
    );
    if (entry.origin?.format === CHAT_FORMAT && parts.some(isThought)) return entry;
    const extra = { field: "reasoning_content" };
    const thought = { type: "reasoning", text: "", extra } as const;
    const content = [thought, ...parts.filter((part) => !isThought(part))];
    const carried = entry.origin?.extra;
    const origin = {
      message: entry.id,
      index: 0,
      ...entry.origin,
      format: CHAT_FORMAT,
      // A carried `reasoning_content: null` would be written instead.
      ...(carried && { extra: withoutKeys(carried, ["reasoning_content"]) }),
    };
    return { ...entry, content, origin };
  },
};

/** Gemini requires the signature of each answer's first call, or the placeholder for a lost one. */
const signedCalls: WireRule = {
  name: "thought-signature",
  source: GEMINI,
  remedy: "replaces a lost signature with the documented `skip_thought_signature_validator`",
  entry: (entry) => {
    if (entry.type !== "action") return entry;
    const own = isForeign(entry) ? asChatAction(entry) : entry;
    const [first, ...others] = own.toolCalls;
    if (first === undefined || hasSignature(first)) return entry;
    const google = { thought_signature: "skip_thought_signature_validator" };
    const fields = { ...objectIn(first.extra?.["fields"]), extra_content: { google } };
    return { ...own, toolCalls: [{ ...first, extra: { ...first.extra, fields } }, ...others] };
  },
};

function hasSignature(call: ToolCall): boolean {
  const google = objectIn(objectIn(cameWith(call, "extra_content"))["google"]);
  return (textOf(google["thought_signature"]) ?? "") !== "";
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns an action of another format as a chat action, without data that only its own format understands. */
function asChatAction({ content, toolCalls, origin: _, ...entry }: ActionEntry): ActionEntry {
  return {
    ...entry,
    ...(content !== undefined && { content: portableContent(content, () => false) }),
    toolCalls: toolCalls.map(({ extra: _extra, ...call }) => call),
    origin: { format: CHAT_FORMAT, message: entry.id, index: 0 },
  };
}

/** Only the id of a model's audio is sent back. */
const audioIds: WireRule = {
  name: "audio-data",
  source: "https://github.com/BerriAI/litellm/issues/13420",
  remedy: "keeps only the id of the audio, or its transcript if it has no id",
  part: (part) => {
    if (part.type !== "opaque" || part.extra?.["field"] !== "audio") return part;
    const { id, transcript, ...others } = objectIn(part.data);
    if (typeof id !== "string") return { type: "text", text: textOf(transcript) ?? "" };
    const isBare = transcript === undefined && Object.keys(others).length === 0;
    return isBare ? part : { ...part, data: { id } };
  },
};

/** An author's name must not contain white space, `<`, `|`, `\`, `/` or `>`. */
const authorNames: WireRule = {
  name: "author-name",
  source: "https://github.com/microsoft/agent-framework/issues/7127",
  remedy: "replaces characters that are not allowed in a name with `_`",
  extra: (extra) => {
    const { fields } = extra;
    const name = isJsonObject(fields) ? fields["name"] : undefined;
    if (!isJsonObject(fields) || name === undefined) return extra;
    if (typeof name === "string" && /^[^\s<|\\/>]{1,64}$/u.test(name)) return extra;
    const { name: _, ...others } = fields;
    const safe = (textOf(name) ?? "")
      .trim()
      .replaceAll(/[\s<|\\/>]+/gu, "_")
      .slice(0, 64);
    return { ...extra, fields: safe === "" ? others : { ...others, name: safe } };
  },
};

/** Mistral refuses a user message directly after a result. */
const answerAfterResults: WireRule = {
  name: "user-after-result",
  source: MISTRAL,
  remedy: "adds an answer between them, which says that the results were received",
  repair: (entries, viewer) => {
    let before: HistoryEntry | undefined;
    return mapEntries(entries, (entry) => {
      if (!isRendered(entry)) return entry;
      const role = messageRole(entry, viewer);
      const result = before;
      if (role !== "system") before = entry;
      if (role !== "user" || result?.type !== "observation") return entry;
      const { createdAtMs, id } = entry;
      const content = "(The results were received.)";
      return [{ type: "assistant_message", id: `${id}/received`, createdAtMs, content }, entry];
    });
  },
};
