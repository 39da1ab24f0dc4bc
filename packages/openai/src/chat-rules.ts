import { messageRole } from "@agent-history/core";
import type { FilePart, HistoryEntry, ImagePart, OpaquePart, Viewer } from "@agent-history/core";
import {
  allowedExtra,
  commonRules,
  dataOf,
  isJsonObject,
  knownFields,
  mapResults,
  mediaBesideResults,
  objectArguments,
  objectOf,
  plainText,
  safeName,
  sentFields,
  statedIds,
  textOf,
  withoutKeys,
} from "@agent-history/format-kit";
import type { AllowedFields, WireRule } from "@agent-history/format-kit";

import { hostRules, isForeign, MISTRAL } from "./chat-host-rules.ts";
import { CHAT_FORMAT, isFunctionCall, isTakenMedia } from "./internal/chat-parts.ts";
import { argumentsText } from "./openai-rules.ts";
import type { OpenAIHost, OpenAIRuleOptions } from "./openai-rules.ts";

const REFERENCE = "https://platform.openai.com/docs/api-reference/chat/create";

const CALLS = "https://developers.openai.com/api/docs/guides/function-calling";

const FIELD_SOURCES: Partial<Record<OpenAIHost, string>> = {
  groq: "https://github.com/janhq/jan/issues/8136",
  mistral: "https://github.com/BerriAI/litellm/issues/30882",
};

/** Returns the rules of chat completions, in the order in which they are repaired. */
export function chatRules({ host = "openai" }: OpenAIRuleOptions = {}): readonly WireRule[] {
  const isOpenAI = host === "openai";
  const isStrict = STRICT.has(host);
  return [
    ...commonRules({
      source: REFERENCE,
      format: CHAT_FORMAT,
      takes: (part, entry, viewer) => takes(part, entry, viewer, host),
      names: { source: CALLS, isTaken: (name) => /^[\w-]{1,64}$/.test(name) },
      ids: host === "mistral" ? MISTRAL_IDS : CHAT_IDS,
      ...(isOpenAI && { isBlank: () => false, mayBeEmpty: isEmptyText }),
    }),
    ...(isOpenAI ? [] : [functionCalls]),
    ...(isStrict ? [fieldsOf(host), withoutThoughts] : [outputFields]),
    argumentsText(REFERENCE),
    statedIds(CALLS, ["id", "tool_call_id"]),
    emptyResults,
    oddFields,
    authorNames,
    spokenAnswers(PLAIN.has(host)),
    ...(isOpenAI
      ? [toolResultsFirst]
      : [objectArguments("https://github.com/OpenHands/software-agent-sdk/issues/2887")]),
    mediaBesideResults(REFERENCE, () => true, isTakenMedia),
    ...hostRules(host),
  ];
}

/** Hosts that refuse unknown fields. The others ignore them, or do not document it. */
const STRICT: ReadonlySet<OpenAIHost> = new Set(["openai", "gemini", "groq", "mistral"]);

/** Hosts whose answers have neither a `refusal` nor audio. */
const PLAIN: ReadonlySet<OpenAIHost> = new Set(["deepseek", "groq", "mistral"]);

/** Rules that `toChatMessages` applies to entries of other formats. */
export const foreignChatRules: readonly WireRule[] = [
  mediaBesideResults(REFERENCE, isForeign, isTakenMedia),
];

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

/** OpenAI accepts images and files only in user messages; `mediaBesideResults` handles results. Other hosts have parts of their own. */
function takes(
  part: ImagePart | FilePart | OpaquePart,
  entry: HistoryEntry,
  viewer: Viewer,
  host: OpenAIHost,
): boolean {
  const isStrict = host === "openai" || host === "gemini" || host === "deepseek";
  const role = messageRole(entry, viewer);
  const { field } = part.extra ?? {};
  if (part.type === "opaque") {
    const isSpoken = role === "user" || role === "assistant";
    const isTold = isSpoken && dataOf(part)["type"] !== "text";
    return field === "audio" || (!isStrict && field === undefined && isTold);
  }
  if (host === "deepseek") return false;
  if (role === "tool") return true;
  return role === "user" && part.source.kind !== "text" && (!isStrict || isTakenMedia(part));
}

const CALL_FIELDS: AllowedFields = { function: {}, custom: {} };

const PART_FIELDS = sentFields("prompt_cache_breakpoint", {
  image_url: {},
  input_audio: {},
  file: {},
});

const MESSAGE_FIELDS = sentFields("role", { content: "absent", tool_call_id: "absent" });

/** The fields that a strict host takes; Groq and Mistral take no author's name. */
function fieldsOf(host: OpenAIHost): WireRule {
  const named = PLAIN.has(host) ? MESSAGE_FIELDS : { ...MESSAGE_FIELDS, name: true as const };
  const signed: AllowedFields = host === "gemini" ? { extra_content: true } : {};
  const ofAnswers: AllowedFields = {
    ...named,
    ...signed,
    ...(!PLAIN.has(host) && { refusal: true as const }),
    ...(host === "mistral" && { prefix: true as const }),
  };
  const ofActions: AllowedFields = { ...ofAnswers, content: true };
  return knownFields(FIELD_SOURCES[host] ?? REFERENCE, {
    format: CHAT_FORMAT,
    message: ({ type }) =>
      type === "action" ? ofActions : type === "assistant_message" ? ofAnswers : named,
    part: () => PART_FIELDS,
    call: { ...CALL_FIELDS, ...signed },
  });
}

/** Removes fields of answers that servers do not accept back, and fields of calls that the SDK added when parsing. */
const outputFields: WireRule = {
  name: "unknown-field",
  source: "https://github.com/openai/openai-python/issues/3008",
  remedy: "removes fields of answers",
  format: CHAT_FORMAT,
  call: (call) => {
    const extra = call.extra && allowedExtra(call.extra, { ...CALL_FIELDS, extra_content: true });
    return extra === call.extra || extra === undefined ? call : { ...call, extra };
  },
  extra: (extra) => withoutKeys(extra, ["parsed", "annotations", "tool_calls", "function_call"]),
};

/** Only OpenAI has custom tools and the deprecated `function_call`. */
const functionCalls: WireRule = {
  name: "function-call",
  source: CALLS,
  remedy: "turns a `function_call` and the call of a custom tool into a tool call",
  call: (call) => {
    const { kind, ...rest } = call;
    if (kind === "custom") return { ...rest, arguments: JSON.stringify({ input: call.arguments }) };
    if (!isFunctionCall(call)) return call;
    const { as: _, ...extra } = call.extra ?? {};
    return { ...call, extra };
  },
  extra: (extra) => {
    const { as, ...others } = extra;
    return as === "function" ? others : extra;
  },
};

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

/** A `refusal` that is no text, `audio` that is no object, and the `content` of calls, is `null` or absent. */
const oddFields: WireRule = {
  name: "unknown-field",
  source: REFERENCE,
  remedy: "removes a `refusal`, `content` or `audio` of another type",
  format: CHAT_FORMAT,
  extra: (extra) => {
    const fields = objectOf(extra["fields"]);
    const odd = ["refusal", "content", "audio"].filter((key) => (fields[key] ?? "") !== "");
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

/** `reasoning_content` is a field of DeepSeek and providers that adopted it. */
const withoutThoughts: WireRule = {
  name: "foreign-reasoning",
  source: REFERENCE,
  remedy: "removes `reasoning_content`",
  format: CHAT_FORMAT,
  part: (part) => (part.type === "reasoning" ? [] : part),
};

/** Only the id of a model's audio is sent back; to hosts without audio, only its words, and a refusal as text. */
function spokenAnswers(isPlain: boolean): WireRule {
  return {
    name: "answer-text",
    source: isPlain
      ? "https://console.groq.com/docs/api-reference"
      : "https://github.com/BerriAI/litellm/issues/13420",
    remedy: "keeps only the id of an answer's audio, else its transcript, as text",
    part: (part) => {
      const { field, as } = part.extra ?? {};
      if (part.type === "text" && isPlain && (field === "refusal" || as === "refusal"))
        return { type: "text", text: part.text };
      if (part.type !== "opaque" || field !== "audio") return part;
      const { id, transcript, ...others } = dataOf(part);
      if (isPlain || typeof id !== "string")
        return { type: "text", text: textOf(transcript) ?? "" };
      const isBare = transcript === undefined && Object.keys(others).length === 0;
      return isBare ? part : { ...part, data: { id } };
    },
  };
}

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
