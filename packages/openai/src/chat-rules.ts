import { isRendered, messageRole } from "@agent-history/core";
import type {
  ActionEntry,
  Content,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  MessageRole,
  OpaquePart,
  ToolCall,
  Viewer,
} from "@agent-history/core";
import {
  allowedExtra,
  beginsWithUser,
  cameWith,
  commonRules,
  dataOf,
  endsWithUser,
  isJsonObject,
  knownFields,
  mapEntries,
  mapResults,
  mediaLines,
  mediaBesideResults,
  objectArguments,
  objectOf,
  ofFormat,
  partsOf,
  plainText,
  portableContent,
  safeName,
  sentFields,
  shownContent,
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
const FIELD_SOURCES: Partial<Record<OpenAIHost, string>> = {
  groq: "https://github.com/janhq/jan/issues/8136",
  mistral: "https://github.com/BerriAI/litellm/issues/30882",
};
const GEMINI = "https://ai.google.dev/gemini-api/docs/thought-signatures";

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
    ...(PLAIN.has(host) ? [plainAnswers] : [audioIds]),
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

const OPENING = "(The assistant begins.)";
const ENDING = "(Continue.)";

function hostRules(host: OpenAIHost): readonly WireRule[] {
  switch (host) {
    case "mistral":
      return [
        beginsWithUser(MISTRAL, OPENING),
        endsWithUser(MISTRAL, ENDING),
        between(MISTRAL, (before, { role }) => {
          if (role === "user") return before.role === "tool" ? ["assistant"] : [];
          if (role !== "system" || before.role === "user") return [];
          return before.role === "tool" ? ["assistant", "user"] : ["user"];
        }),
      ];
    case "deepseek":
      return [oneText, thoughtsOfAll];
    case "gemini":
      return [
        beginsWithUser(GEMINI, OPENING),
        endsWithUser(GEMINI, ENDING),
        signedCalls,
        namedResults,
        between("https://github.com/google-gemini/gemini-cli/issues/26486", (before, { entry }) =>
          entry.type === "action" && before.role === "assistant" ? ["user"] : [],
        ),
      ];
    case "openrouter":
      return [
        between(
          "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens",
          (before, now) => {
            const areAnswers = before.role === "assistant" && now.role === "assistant";
            return areAnswers && (isSigned(before.entry) || isSigned(now.entry)) ? ["user"] : [];
          },
        ),
      ];
    case "openai":
    case "compatible":
    case "groq":
    case "vllm":
      return [];
  }
}

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

/** Content is text, and only of users a list of parts: https://github.com/rikkahub/rikkahub/issues/1433 */
const oneText: WireRule = {
  name: "content-text",
  source: "https://github.com/QwenLM/qwen-code/issues/2158",
  remedy: "joins the texts of a message, and replaces an image or a file with a line of text",
  entry: (entry) => {
    const shown = shownContent(entry);
    const isText = partsOf(shown).every(({ type }) => type === "text");
    const content = entry.type === "user_message" && isText ? shown : joinedText(shown);
    if (content === shown || content === undefined) return entry;
    const others = Object.entries(entry).filter(([key]) => !SHOWN.has(key));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry of the same type, with what it shows as its content
    return { ...Object.fromEntries(others), content } as HistoryEntry;
  },
};

/** What is shown beside the content of an entry. */
const SHOWN: ReadonlySet<string> = new Set(["name", "rendered", "sources"]);

/** Joins what is in the field `content`. */
function joinedText(content: Content | undefined): Content | undefined {
  if (typeof content !== "object") return content;
  const isText = ({ extra = {} }: ContentPart): boolean =>
    (extra["field"] ?? "refusal") === "refusal";
  // Opaque parts become text first.
  if (content.some((part) => part.type === "opaque")) return content;
  const [first, ...more] = content.filter(isText);
  if (first === undefined || (more.length === 0 && first.extra?.["as"] === "content"))
    return content;
  const text = plainText([first, ...more].flatMap(linesOf));
  const others = content.filter((part) => !isText(part));
  return others.length === 0 ? text : [...others, { type: "text", text, extra: { as: "content" } }];
}

function linesOf(part: ContentPart): readonly ContentPart[] {
  return part.type === "image" || part.type === "file" ? mediaLines(part) : [part];
}

/** DeepSeek requires the reasoning of every answer if the request has tools. */
const thoughtsOfAll: WireRule = {
  name: "missing-reasoning",
  source: "https://github.com/QwenLM/qwen-code/issues/3658",
  remedy: "adds an empty `reasoning_content` to an answer whose reasoning is lost",
  entry: (entry) => {
    if (entry.type !== "assistant_message" && entry.type !== "action") return entry;
    const { content: given = [] } = entry;
    const parts: readonly ContentPart[] =
      typeof given === "string" ? [{ type: "text", text: given, extra: { as: "content" } }] : given;
    const field = "reasoning_content";
    const isOwn = !isForeign(entry);
    if (isOwn && parts.some(({ extra }) => extra?.["field"] === field)) return entry;
    const extra = { field };
    const thought = { type: "reasoning", text: "", extra } as const;
    const content = [thought, ...parts.filter((part) => isOwn || !isThought(part))];
    // A carried `reasoning_content: null` would be written instead.
    const carried = isOwn ? withoutKeys(entry.origin?.extra ?? {}, [field]) : {};
    return ofFormat({ ...entry, content }, CHAT_FORMAT, carried);
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
    const fields = { ...objectOf(first.extra?.["fields"]), extra_content: { google } };
    return { ...own, toolCalls: [{ ...first, extra: { ...first.extra, fields } }, ...others] };
  },
};

function hasSignature(call: ToolCall): boolean {
  const google = objectOf(objectOf(cameWith(call, "extra_content"))["google"]);
  return (textOf(google["thought_signature"]) ?? "") !== "";
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

/** A result names its function. */
const namedResults: WireRule = {
  name: "result-name",
  source: "https://github.com/NousResearch/hermes-agent/issues/16478",
  remedy: "adds the name of the function to its result",
  result: (result) => {
    const { content, origin } = result;
    if (isForeign(result)) {
      const portable = { ...result, content: portableContent(content, () => false) };
      return ofFormat(portable, CHAT_FORMAT, { as: "named" });
    }
    if (origin?.extra?.["as"] === "named") return result;
    return ofFormat(result, CHAT_FORMAT, { ...origin?.extra, as: "named" });
  },
};

/** Only the id of a model's audio is sent back. */
const audioIds: WireRule = {
  name: "audio-data",
  source: "https://github.com/BerriAI/litellm/issues/13420",
  remedy: "keeps only the id of the audio, or its transcript if it has no id",
  part: (part) => {
    if (part.type !== "opaque" || part.extra?.["field"] !== "audio") return part;
    const { id, transcript, ...others } = dataOf(part);
    if (typeof id !== "string") return { type: "text", text: textOf(transcript) ?? "" };
    const isBare = transcript === undefined && Object.keys(others).length === 0;
    return isBare ? part : { ...part, data: { id } };
  },
};

/** A refusal is text, and of a model's audio only the words are sent back. */
const plainAnswers: WireRule = {
  name: "answer-text",
  source: "https://console.groq.com/docs/api-reference",
  remedy: "turns a refusal, and the transcript of an answer's audio, into text",
  format: CHAT_FORMAT,
  part: (part) => {
    const { extra = {} } = part;
    if (part.type === "text" && [extra["field"], extra["as"]].includes("refusal")) {
      return { type: "text", text: part.text };
    }
    if (part.type !== "opaque" || extra["field"] !== "audio") return part;
    const text = textOf(dataOf(part)["transcript"]);
    return text === undefined ? [] : { type: "text", text };
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

interface Turn {
  readonly entry: HistoryEntry;
  readonly role: MessageRole;
}

/** Adds the messages that are missing between two others, in which a system message does not count. */
function between(
  source: string,
  missing: (before: Turn, now: Turn) => readonly ("assistant" | "user")[],
): WireRule {
  return {
    name: "message-order",
    source,
    remedy:
      "adds a message between them, which asks to continue or says that results were received",
    repair: (entries, viewer) => {
      let before: Turn | undefined;
      return mapEntries(entries, (entry) => {
        if (!isRendered(entry)) return entry;
        const now = { entry, role: messageRole(entry, viewer) };
        const added = (before === undefined ? [] : missing(before, now)).map((role) =>
          addedMessage(role, entry),
        );
        const last = added.at(-1);
        if (now.role !== "system") before = now;
        else if (last !== undefined) before = { entry: last, role: "user" };
        return last === undefined ? entry : [...added, entry];
      });
    },
  };
}

function addedMessage(role: "assistant" | "user", { id, createdAtMs }: HistoryEntry): HistoryEntry {
  const base = { id: `${id}/${role}`, createdAtMs };
  return role === "assistant"
    ? { ...base, type: "assistant_message", content: "(The results were received.)" }
    : { ...base, type: "global_observation", content: ENDING };
}

/** Returns whether an answer has signed reasoning. */
function isSigned({ content }: HistoryEntry): boolean {
  const fields: readonly unknown[] = SIGNED_FIELDS;
  return partsOf(content).some(({ extra }) => fields.includes(extra?.["field"]));
}
