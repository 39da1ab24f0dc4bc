import { HistoryError, messageRole } from "@agent-history/core";
import type {
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
  ObservationEntry,
  ToolCall,
  Viewer,
} from "@agent-history/core";
import {
  cameWith,
  commonRules,
  dataOf,
  finishedReasoning,
  isJsonObject,
  knownFields,
  mapEntries,
  mapResults,
  mediaBesideResults,
  objectArguments,
  objectOf,
  ofFormat,
  partsOf,
  plainText,
  sentFields,
  shownContent,
  splitResults,
  statedIds,
} from "@agent-history/format-kit";
import type { AllowedFields, WireRule } from "@agent-history/format-kit";

import { writeAudio } from "./internal/chat-parts.ts";
import { resultTypeOf } from "./internal/response-results.ts";
import { callsOf, itemIds, wholeReasoning } from "./item-ids.ts";
import { argumentsText } from "./openai-rules.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";

const REFERENCE = "https://platform.openai.com/docs/api-reference/responses/create";

const CALLS = "https://developers.openai.com/api/docs/guides/function-calling";

const COMPUTER_USE = "https://developers.openai.com/api/docs/guides/tools-computer-use";

const SPEC = "https://github.com/openai/openai-openapi";

/**
 * Returns the rules of the Responses API, in the order in which they are repaired.
 *
 * @param format - Entries that are items: `openai-responses`, or the format name of a package with other names for them.
 * @param writes - The format whose entries are written with their format-specific data. Default: `format`.
 */
export function responseRules(
  { host = "openai", store = true, reasoning = "keep" }: OpenAIRuleOptions = {},
  format: string = "openai-responses",
  writes: string = format,
): readonly WireRule[] {
  const isOwn = ({ origin }: HistoryEntry): boolean => origin?.format === format;
  return [
    wholeReasoning(format, store),
    ...(reasoning === "drop" ? [finishedReasoning(REFERENCE, format)] : []),
    ...commonRules({
      source: REFERENCE,
      format,
      takes,
      names: {
        source: SPEC,
        isTaken: (name) => /^[\w-]{1,128}$/.test(name),
        isExempt: isExempt(writes),
      },
      ids: { source: SPEC, isTaken: (id) => id.length <= 64 },
      isBlank: () => false,
      mayBeEmpty: ({ content, origin }) => content === "" || origin?.extra?.["as"] === "item",
    }),
    textKinds(format),
    knownFields("https://github.com/openai/openai-python/issues/3146", {
      format,
      message: ({ type }) => (type === "observation" ? RESULT_FIELDS : MESSAGE_FIELDS),
      part: partFields,
      within: ["item", MESSAGE_FIELDS],
      data: (data, { type }) =>
        type === "reasoning"
          ? REASONING_FIELDS
          : isAnswer(data)
            ? ANSWER_FIELDS
            : new Set(Object.keys(data).filter((key) => !OF_OTHERS.has(key))),
      call: CALL_FIELDS,
    }),
    argumentsText(REFERENCE),
    noReferences,
    statedIds(CALLS, ["call_id", "approval_request_id"], ["id"]),
    ...(host === "openai"
      ? []
      : [objectArguments("https://github.com/vllm-project/vllm/issues/48922")]),
    resultKinds(isOwn),
    screenshots,
    acknowledgedChecks(isOwn, format),
    // SDKs handle media that they cannot send themselves.
    ...(writes === format ? [mediaBesideResults(REFERENCE, givesAudio)] : []),
    itemIds(format),
    lastTrigger(isOwn),
  ];
}

/** Requests to approve a call of an MCP server that are written as such, and calls that the AI SDK marks as run by the provider. */
function isExempt(writes: string): (call: ToolCall) => boolean {
  if (writes === "openai-responses") return ({ extra }) => extra?.["as"] === "mcp_approval_request";
  return (call) =>
    call.extra?.["as"] === "tool-approval-request" || cameWith(call, "providerExecuted") === true;
}

const ITEMS: ReadonlySet<JsonValue | undefined> = new Set([
  "file_search_call",
  "web_search_call",
  "image_generation_call",
  "code_interpreter_call",
  "mcp_list_tools",
  "mcp_call",
  "program",
  "program_output",
  "tool_search_call",
  "tool_search_output",
  "item_reference",
  "compaction",
  // Types that only the Agents SDK has, under its names.
  "agents_item",
  "hosted_tool_call",
]);

/** Results that contain only text, images and files. */
const PLAIN_RESULTS: ReadonlySet<JsonValue | undefined> = new Set([
  undefined,
  "custom_tool_call_output",
]);

/** Returns whether a part may be in an item of this role. */
function takes(part: ContentPart, entry: HistoryEntry, viewer: Viewer): boolean {
  const as = entry.origin?.extra?.["as"];
  // Changes of settings have their own kinds, and so have results of other tools than functions.
  if (as === "item") return true;
  if (entry.type === "observation") {
    if (part.type !== "opaque") return true;
    return as === SCREENSHOT ? isScreenshot(part) : !PLAIN_RESULTS.has(as);
  }
  const role = entry.type === "summary" ? "assistant" : messageRole(entry, viewer);
  if (part.type !== "opaque") return role === "user";
  if (role !== "assistant" || !isJsonObject(part.data)) return false;
  return ITEMS.has(part.data["type"]) || isAnswer(part.data);
}

const SCREENSHOT = "computer_call_output";

function isScreenshot(part: ContentPart): boolean {
  if (part.type !== "opaque") return part.type === "image";
  return dataOf(part)["type"] === "computer_screenshot";
}

/** A result is of the kind of its call. */
function resultKinds(isOwn: (entry: HistoryEntry) => boolean): WireRule {
  return {
    name: "result-kind",
    source: CALLS,
    remedy: "changes the type of the result to that of its call",
    repair: (entries) =>
      mapResults(entries, (result, call) => {
        const { origin, ...rest } = result;
        const type = origin?.extra?.["as"] ?? "function_call_output";
        if (!isOwn(result) || type === resultTypeOf(call)) return result;
        const { content } = result;
        return {
          ...rest,
          content: typeof content === "string" ? content : content.map(textOfData),
        };
      }),
  };
}

function textOfData(part: ContentPart): ContentPart {
  return part.type === "opaque" ? { type: "text", text: JSON.stringify(part.data) } : part;
}

/** The output of a computer call is one screenshot. */
const screenshots: WireRule = {
  name: "screenshot",
  source: COMPUTER_USE,
  remedy: "moves text from the output of a computer call to a message after the results",
  repair: (entries) => {
    const calls = callsOf(entries).filter(({ extra }) => extra?.["as"] === "computer_call");
    const ids = new Set(calls.map(({ id }) => id));
    return splitResults(entries, (result) => {
      const parts = partsOf(result.content);
      if (!ids.has(result.callId) || parts.every(isScreenshot)) return { result };
      const beside = `[${result.toolName} ${result.callId}] ${plainText(shownContent(result))}`;
      return { result: { ...result, content: parts.filter(isScreenshot) }, beside };
    });
  },
};

/** Returns whether an opaque item is a further assistant message of the same answer. */
function isAnswer({ role, type = "message", content }: JsonObject): boolean {
  const parts = Array.isArray(content) ? content : [];
  const isText = (part: JsonValue): boolean =>
    isJsonObject(part) && (part["type"] === "output_text" || part["type"] === "refusal");
  const isSaid = (typeof content === "string" || parts.length > 0) && parts.every(isText);
  return type === "message" && role === "assistant" && isSaid;
}

/** Results may contain text, images and files, but not audio. */
function givesAudio({ content }: ObservationEntry): boolean {
  return partsOf(content).some((part) => part.type === "file" && writeAudio(part) !== undefined);
}

/** Text of an answer must be `output_text`. */
function textKinds(format: string): WireRule {
  return {
    name: "text-of-answer",
    source: REFERENCE,
    remedy: "changes `input_text` of an answer to `output_text`",
    format,
    part: (part, { type }) => {
      const isOdd = part.type === "text" && part.extra?.["as"] === "input_text";
      if (!isOdd || type === "observation") return part;
      const { as: _, ...extra } = part.extra;
      return { ...part, extra };
    },
  };
}

/** `providerData` and `hosted` are fields of the Agents SDK. */
const STATED = "id type status providerData hosted";

const INPUT_PART = sentFields("prompt_cache_breakpoint detail file_id alone providerData", {
  input_audio: {},
});

const CALL_FIELDS = sentFields(
  `${STATED} async caller namespace environment execution server_label pending_safety_checks fingerprint`,
);

const MESSAGE_FIELDS = sentFields(`${STATED} role phase`);

const RESULT_FIELDS = sentFields(
  `${STATED} name caller namespace execution acknowledged_safety_checks max_output_length reason`,
);

const ANSWER_FIELDS = new Set(["content", ...Object.keys(MESSAGE_FIELDS)]);

const SHELL_FIELDS = sentFields("outcome");

const OUTPUT_TEXT = sentFields("annotations logprobs", INPUT_PART);

/** Fields that items never have, removed from kinds whose other fields are unknown. */
const OF_OTHERS = new Set("cache_control index logprobs parsed providerMetadata usage".split(" "));

function partFields({ type, extra = {} }: ContentPart, entry: HistoryEntry): AllowedFields {
  if (type === "reasoning" || extra["as"] === "stdout") return SHELL_FIELDS;
  const isOfModel = entry.type === "action" || entry.type === "assistant_message";
  if (type !== "text" || !isOfModel) return INPUT_PART;
  // The fields of a message with a single text are in the `extra` of that text.
  const isMessage = extra["item"] === undefined && extra["joins"] !== true;
  return isMessage ? MESSAGE_FIELDS : OUTPUT_TEXT;
}

/** Refuses references: an item that only the server has can be neither counted nor paired. */
const noReferences: WireRule = {
  name: "item-reference",
  source: "https://developers.openai.com/api/docs/guides/conversation-state",
  remedy: "none; pass the item itself",
  part: (part, { id: entryId }) => {
    if (dataOf(part)["type"] !== "item_reference") return part;
    throw new HistoryError(
      "Expected full items; got an `item_reference`. Pass the item itself, without `previous_response_id`.",
      { code: "INVALID_ENTRY", details: { rule: "item-reference", entryId } },
    );
  },
};

/** The output with a screenshot acknowledges the safety checks of its call. */
function acknowledgedChecks(isOwn: (entry: HistoryEntry) => boolean, format: string): WireRule {
  return {
    name: "safety-checks",
    source: COMPUTER_USE,
    remedy: "acknowledges the safety checks of the call in its output",
    repair: (entries) =>
      mapResults(
        entries,
        (result, call) => {
          const checks = cameWith(call, "pending_safety_checks");
          if (!Array.isArray(checks) || checks.length === 0) return result;
          const extra = (isOwn(result) && result.origin?.extra) || { as: SCREENSHOT };
          const fields = objectOf(extra["fields"]);
          const { acknowledged_safety_checks: known } = fields;
          if (Array.isArray(known) && known.length >= checks.length) return result;
          const now = { ...fields, acknowledged_safety_checks: checks };
          return ofFormat(result, format, { ...extra, fields: now });
        },
        "pending_safety_checks",
      ),
  };
}

const REASONING_FIELDS = new Set(
  "type id status summary content encrypted_content providerData".split(" "),
);

/** A compaction trigger must be last. */
function lastTrigger(isOwn: (entry: HistoryEntry) => boolean): WireRule {
  return {
    name: "compaction-trigger",
    source: "https://github.com/bman654/clodex/issues/53",
    remedy: "removes a compaction trigger that is not last",
    repair: (entries) =>
      mapEntries(entries, (entry, index) => {
        const [part] = partsOf(entry.content);
        const { type } = dataOf(part);
        const isTrigger = entry.type === "system_message" && type === "compaction_trigger";
        return isTrigger && isOwn(entry) && index < entries.length - 1 ? [] : entry;
      }),
  };
}
