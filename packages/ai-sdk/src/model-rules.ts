import { anthropicRules } from "@agent-history/anthropic";
import type { FilePart, ImagePart, JsonValue } from "@agent-history/core";
import {
  combinedRules,
  commonRules,
  dataOf,
  fieldsChanged,
  isJsonObject,
  leadingThoughts,
  mapEntries,
  mapParts,
  mediaLines,
  objectArguments,
  objectOf,
  objectText,
  parseJson,
  portableWeight,
  statedIds,
  textOf,
  wellFormedJson,
} from "@agent-history/format-kit";
import type { CommonRules, TargetFormat, WireRule } from "@agent-history/format-kit";
import { chatRules, responseRules } from "@agent-history/openai";

import { isProviderCall } from "./internal/model-parts.ts";
import { foreignContent, itemIdIn, withoutItemIds, withOptions } from "./internal/write-model.ts";
import { modelFormat } from "./model-messages.ts";
import {
  CHAT,
  MESSAGES,
  callsOfProvider,
  interruptedCalls,
  isAnswer,
  isAskedFor,
} from "./provider-calls.ts";

/** Options that select the rules. */
export interface ModelRuleOptions {
  /** The `provider` of the model, e.g. `anthropic.messages` or `openai.responses`. Default: only what all of them refuse is repaired. */
  readonly provider?: string | undefined;
  /** The names of the tools that run when an answer to their approval request is sent. A call of another tool gets a result that reports its loss. Default: all. */
  readonly runnable?: readonly string[] | undefined;
}

/** Returns the rules for model messages, in the order of their repairs. */
export function modelRules({
  provider = "",
  runnable,
}: ModelRuleOptions = {}): readonly WireRule[] {
  const ofProvider = rulesOf(provider);
  const ids = { source: MESSAGES, isTaken: (id: string) => /^[\w-]{0,64}$/.test(id) };
  const isOfChat = CHAT.test(provider);
  const isOfResponses = provider.endsWith("responses");
  const ofSdk = [
    callsOfProvider(provider),
    interruptedCalls,
    soundOptions,
    uniqueItems,
    ...(isOfResponses ? [ofLostThoughts] : []),
    ...(isOfResponses || isOfChat ? [usersTextFiles] : []),
    ...(isOfChat ? [sentArguments] : []),
    ...commonRules({
      source: MESSAGES,
      format: modelFormat.name,
      takes: takes(provider),
      mayWait: (call, entries) => isProviderCall(call) || isAskedFor(call, entries, runnable),
      ...(ofProvider === undefined && { ids }),
    }),
    statedIds(MESSAGES, ["toolCallId", "toolName", "approvalId"], ["approvalId"]),
    wellFormedInput,
    signedThoughts,
    leadingThoughts(
      "https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting",
    ),
  ];
  return combinedRules(ofSdk, ofProvider);
}

function rulesOf(provider: string): readonly WireRule[] | undefined {
  if (provider.includes("anthropic")) return anthropicRules({}, modelFormat.name);
  if (provider.startsWith("mistral")) return chatRules({ host: "mistral" });
  if (provider.endsWith("responses")) return responseRules({}, undefined, modelFormat.name);
  return /^(?:openai|azure)\b.*chat$/u.test(provider) ? chatRules() : undefined;
}

/** Returns the rules of the AI SDK and a provider, and the weight of an entry there. Used by `fitForTarget` of `@agent-history/format-kit`. */
export function modelTarget(options: ModelRuleOptions = {}): TargetFormat {
  return {
    rules: modelRules(options),
    weigh: portableWeight(modelFormat.name, foreignContent),
  };
}

function isString(value: JsonValue): boolean {
  return typeof value === "string";
}

/** The options whose type is checked. */
const SHAPES: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map([
  ["signature", isString],
  ["redactedData", isString],
  ["reasoningEncryptedContent", (value) => value === null || isString(value)],
  ["itemId", (value) => value === null || /^(?!call_).{1,64}$/u.test(textOf(value) ?? "")],
]);

/** The AI SDK's providers throw for options of a wrong type, and OpenAI refuses an item id that is empty or too long. */
const soundOptions: WireRule = {
  name: "provider-options",
  source: MESSAGES,
  remedy: "removes provider options of a wrong type, and item ids that cannot be sent",
  format: modelFormat.name,
  entry: fieldsChanged((fields) =>
    withOptions(fields, (options) => {
      const given = Object.entries(options);
      const sound = given.filter(([key, value]) => SHAPES.get(key)?.(value) !== false);
      return sound.length === given.length ? options : Object.fromEntries(sound);
    }),
  ),
};

/** An OpenAI item may be in one message only. In the second copy of an answer, reasoning is removed and other parts lose their ids. */
const uniqueItems: WireRule = {
  name: "duplicate-item-id",
  source: "https://github.com/earendil-works/pi/issues/5151",
  remedy: "removes a second copy of reasoning, and the id of another part of the same item",
  repair: (entries) => {
    const seen = new Set<string>();
    return mapEntries(entries, (entry) => {
      if (!isAnswer(entry) || entry.origin?.format !== modelFormat.name) return entry;
      const ids = new Set<string>();
      const isSeen = (id: string): boolean => {
        ids.add(id);
        return seen.has(id);
      };
      const left = mapParts(entry, (part) => {
        const id = part.type === "reasoning" ? itemIdIn(objectOf(part.data)) : undefined;
        return id !== undefined && isSeen(id) ? [] : part;
      });
      const single = withoutItemIds(left, isSeen);
      for (const id of ids) seen.add(id);
      return single;
    });
  },
};

/** Part types that only answers may have. */
const OF_ANSWERS = /^(?:custom|file|reasoning-file|tool-approval-request|tool-call)$/u;

/** The AI SDK throws for unknown parts, and its providers for unsupported media types. */
function takes(provider: string): NonNullable<CommonRules["takes"]> {
  return (part, entry) => {
    if (part.type !== "opaque") {
      // Anthropic's package does not send media of an answer.
      if (isAnswer(entry)) return !provider.includes("anthropic");
      const isChecked = entry.type === "user_message" || entry.type === "observation";
      return !isChecked || isSent(part, provider);
    }
    if (entry.type === "observation" || entry.type === "summary") return true;
    const { type, mediaType, data, image, output } = dataOf(part);
    const kind = textOf(type) ?? "";
    if (isAnswer(entry)) {
      return kind === "tool-result" ? isJsonObject(output) : OF_ANSWERS.test(kind);
    }
    if (kind === "image") return isJsonObject(image);
    return kind === "file" && textOf(mediaType) !== undefined && isJsonObject(data);
  };
}

function isSent({ source, mediaType = "image" }: ImagePart | FilePart, provider: string): boolean {
  if (source.kind === "id") return true;
  if (source.kind === "url" && !/^(?!blob:|data:|file:)[a-z][a-z+.-]*:/iu.test(source.url))
    return false;
  if (source.kind === "url" && !URL.canParse(source.url)) return false;
  if (source.kind === "data" && /[^\w+/=\s-]/u.test(source.base64)) return false;
  if (mediaType === "") return false;
  const isAnthropic = provider.includes("anthropic");
  if (!isAnthropic && !/^(?:openai|azure)\b/u.test(provider)) return true;
  if (mediaType.startsWith("image")) {
    return source.kind === "url" || /^image(?:\/(?:\*|png|jpe?g|gif|webp))?$/u.test(mediaType);
  }
  const isDocument = /^application(?:\/(?:\*|pdf))?$/u.test(mediaType);
  if (isAnthropic) return isDocument || mediaType === "text/plain";
  // Refuse text files: their text is sent as a text part instead.
  if (source.kind === "text") return false;
  if (isDocument || mediaType.startsWith("text/")) return true;
  return !provider.endsWith("responses") && /^audio\/(?:wav|mp3|mpeg)$/u.test(mediaType);
}

/** OpenAI's package throws for text files. */
const usersTextFiles: WireRule = {
  name: "text-file",
  source: "https://developers.openai.com/api/docs/guides/file-inputs",
  remedy: "replaces a text file with its text",
  part: (part, entry) => {
    const isText = part.type === "file" && part.mediaType?.startsWith("text/") === true;
    const isMeant = isText && part.source.kind === "data" && entry.type === "user_message";
    return isMeant ? mediaLines(part) : part;
  },
};

/** Anthropic refuses reasoning whose signature is empty. */
const signedThoughts: WireRule = {
  name: "unsigned-reasoning",
  source: MESSAGES,
  remedy: "removes reasoning whose signature is empty",
  format: modelFormat.name,
  part: (part) => {
    const { anthropic } = objectOf(
      objectOf(part.type === "reasoning" ? part.data : null)["providerOptions"],
    );
    return objectOf(anthropic)["signature"] === "" ? [] : part;
  },
};

/** OpenAI refuses an item id without its reasoning. */
const ofLostThoughts: WireRule = {
  name: "reasoning-without-id",
  source: "https://github.com/continuedev/continue/issues/8933",
  remedy: "sends nothing by id next to reasoning that lost its id",
  format: modelFormat.name,
  entry: (entry) => {
    const { content } = entry;
    if (!isAnswer(entry) || typeof content !== "object") return entry;
    const isLost = content.some(
      (part) => part.type === "reasoning" && itemIdIn(objectOf(part.data)) === undefined,
    );
    return isLost ? withoutItemIds(entry) : entry;
  },
};

/** Of arguments that are no object, OpenAI's package sends chat completions nothing, but for the JSON of one. */
const sentArguments: WireRule = {
  ...objectArguments(MESSAGES),
  call: (call) => {
    const said = parseJson(call.arguments);
    const isText = typeof said === "string" && isJsonObject(parseJson(said));
    if (isText || isJsonObject(said) || call.arguments === "") return call;
    return { ...call, arguments: objectText(call.arguments) };
  },
};

/** The input of a call is a value: half a surrogate pair in it is an escape in its JSON. */
const wellFormedInput: WireRule = {
  name: "well-formed-input",
  source: "https://github.com/anthropics/claude-code/issues/56064",
  remedy: "replaces half a surrogate pair with U+FFFD",
  call: (call) => {
    const text = wellFormedJson(call.arguments);
    return text === call.arguments ? call : { ...call, arguments: text };
  },
};
