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
  fieldsChanged,
  finishedReasoning,
  isJsonObject,
  isWellFormed,
  knownFields,
  lastThoughts,
  mapEntries,
  mapParts,
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
  textOf,
} from "@agent-history/format-kit";
import type { AllowedFields, FieldHolder, WireRule } from "@agent-history/format-kit";

import { writeAudio } from "./internal/chat-parts.ts";
import { resultTypeOf } from "./internal/response-results.ts";
import { argumentsText } from "./openai-rules.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";

const REFERENCE = "https://platform.openai.com/docs/api-reference/responses/create";
const CALLS = "https://developers.openai.com/api/docs/guides/function-calling";
const COMPUTER_USE = "https://developers.openai.com/api/docs/guides/tools-computer-use";
const REASONING = "https://github.com/continuedev/continue/issues/8933";
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
    brokenReasoning(format),
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
    reasoningItems(format),
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
    itemIds(format),
    resultKinds(isOwn),
    screenshots,
    acknowledgedChecks(isOwn, format),
    // SDKs handle media that they cannot send themselves.
    ...(writes === format ? [mediaBesideResults(REFERENCE, givesAudio)] : []),
    wholeReasoning(isOwn, store),
    uniqueItems(isOwn),
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

function idsOfCalls(
  entries: readonly HistoryEntry[],
  isMeant: (call: ToolCall) => boolean,
): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== "action") continue;
    for (const call of entry.toolCalls) if (isMeant(call)) ids.add(call.id);
  }
  return ids;
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
    const ids = idsOfCalls(entries, ({ extra }) => extra?.["as"] === "computer_call");
    if (ids.size === 0) return entries;
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

/**
 * Reasoning must precede the item that it led to. If reasoning without such an item is removed, earlier answers without reasoning may be the item it led to: they lose their ids, by
 * which the server would require the reasoning.
 */
function wholeReasoning(isOwn: (entry: HistoryEntry) => boolean, isStored: boolean): WireRule {
  return {
    name: "reasoning",
    source: REASONING,
    remedy: "removes reasoning that nothing follows, and the id of an answer without its reasoning",
    repair: (entries) => {
      const cuts = entries.map((entry) => (isOwn(entry) ? cutReasoning(entry, isStored) : NONE));
      const lastCut = cuts.findLastIndex((cut, at) => cut.size > 0 && at < entries.length - 1);
      return mapEntries(entries, (entry, index) => {
        const cut = cuts[index] ?? NONE;
        if (cut.size > 0) return withoutReasons(entry, (part) => cut.has(part));
        const isOfModel = entry.type === "action" || entry.type === "assistant_message";
        const mayBeCut = index < lastCut && isOfModel && isOwn(entry) && !hasReasoning(entry);
        return mayBeCut ? withoutItemIds(entry) : entry;
      });
    },
  };
}

/** Before `well-formed-text`, which removes such reasoning, but not the ids of its answer. */
function brokenReasoning(format: string): WireRule {
  return {
    name: "reasoning",
    source: REASONING,
    remedy: "removes reasoning that is not valid Unicode, and the ids of its answer",
    format,
    entry: (entry) => withoutReasons(entry, (part) => isReasoning(part) && !isWellFormed(part)),
  };
}

/** Removes reasoning from an answer, and the ids of its items: by them, the server would require the reasoning. */
function withoutReasons(entry: HistoryEntry, isCut: (part: ContentPart) => boolean): HistoryEntry {
  const left = mapParts(entry, (part) => (isCut(part) ? [] : part));
  return left === entry ? left : withoutItemIds(left);
}

function hasReasoning({ content }: HistoryEntry): boolean {
  return typeof content === "object" && content.some(isReasoning);
}

const REASONING_FIELDS = new Set(
  "type id status summary content encrypted_content providerData".split(" "),
);

/** Reasoning must have a `summary`, which may be empty. */
function reasoningItems(format: string): WireRule {
  return {
    name: "reasoning-item",
    source: REFERENCE,
    remedy: "adds an empty `summary`",
    format,
    part: (part) => {
      if (part.type !== "reasoning" || !isJsonObject(part.data)) return part;
      const lacks = part.extra?.["as"] === "block" && !Array.isArray(part.data["summary"]);
      return lacks ? { ...part, data: { ...part.data, summary: [] } } : part;
    },
  };
}

/** Finds the reasoning of an entry that the server would refuse: at the end, or unknown to the server. */
function cutReasoning(entry: HistoryEntry, isStored: boolean): ReadonlySet<ContentPart> {
  if (typeof entry.content !== "object" || !entry.content.some(isReasoning)) return NONE;
  const last = lastThoughts(entry);
  const isLost = (part: ContentPart): boolean => last.has(part) || !(isStored || isSealed(part));
  const cut = entry.content.filter((part) => isReasoning(part) && isLost(part));
  return cut.length === 0 ? NONE : new Set(cut);
}

const NONE: ReadonlySet<ContentPart> = new Set();

function isSealed(part: ContentPart): boolean {
  const data = part.type === "reasoning" ? objectOf(part.data) : {};
  return textOf(data["encrypted_content"]) !== undefined;
}

function isReasoning({ type }: ContentPart): boolean {
  return type === "reasoning";
}

/** Removes the id unless this kind of item requires one. */
function withoutId(id: JsonValue, kind: string): JsonValue | undefined {
  return PREFIXES.has(kind) ? undefined : id;
}

type ChangeId = (id: JsonValue, kind: string) => JsonValue | undefined;

/** Changes the ids of the items that an entry is written as; `undefined` removes an id. */
function ofIds(change: ChangeId): Parameters<typeof fieldsChanged>[0] {
  return (fields, of) => {
    const { id } = fields;
    if (id === undefined || ("kind" in of && of.kind === "approval")) return fields;
    const now = change(id, textOf(fields["type"]) ?? kindOf(of));
    if (now === id) return fields;
    const { id: _, ...bare } = fields;
    return now === undefined ? bare : { ...fields, id: now };
  };
}

/** Returns an answer without item ids; after its reasoning was removed, the server would require that reasoning by them. */
export const withoutItemIds: (entry: HistoryEntry) => HistoryEntry = fieldsChanged(
  // Other reasoning stays as it is.
  ofIds((id, kind) => (kind === "reasoning" ? id : withoutId(id, kind))),
);

function kindOf(of: FieldHolder): string {
  if (!("type" in of)) {
    return (
      textOf(of.extra?.["as"]) ?? (of.kind === "custom" ? "custom_tool_call" : "function_call")
    );
  }
  if (of.type === "reasoning") return of.type;
  return of.type === "opaque" || of.type === "observation" ? "" : "message";
}

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["message", "msg"],
  ["reasoning", "rs"],
  ["function_call", "fc"],
  ["custom_tool_call", "ctc"],
]);

/** Item ids begin with the prefix of their kind and have at most 64 characters. */
function itemIds(format: string): WireRule {
  const known: ChangeId = (id, kind) => {
    const isTaken = typeof id === "string" && id !== "" && id.length <= 64;
    return id === null || (isTaken && id.startsWith(PREFIXES.get(kind) ?? "")) ? id : undefined;
  };
  return {
    name: "item-id",
    source: "https://github.com/NousResearch/hermes-agent/issues/10788",
    remedy: "removes an id of another kind, or with more than 64 characters",
    format,
    entry: fieldsChanged(ofIds(known)),
  };
}

/** Items and item ids must be unique. */
function uniqueItems(isOwn: (entry: HistoryEntry) => boolean): WireRule {
  return {
    name: "duplicate-item-id",
    source: "https://github.com/earendil-works/pi/issues/5151",
    remedy:
      "removes a second copy of reasoning or of an answer, and the id of another item with the same id",
    repair: (entries) => {
      // The id of an approval request is also its call id.
      const requests = idsOfCalls(entries, ({ kind }) => kind === "approval");
      const all: JsonValue[] = [...requests];
      const collect = fieldsChanged(ofIds((id) => (all.push(id), id)));
      for (const entry of entries) if (isOwn(entry)) collect(entry);
      return new Set(all).size === all.length ? entries : withoutCopies(entries, isOwn, requests);
    },
  };
}

function withoutCopies(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
  taken: ReadonlySet<string>,
): readonly HistoryEntry[] {
  // Content by id, to recognize copies.
  const said = new Map<JsonValue, string>([...taken].map((id) => [id, ""]));
  const isCopy = (part: ContentPart): boolean => {
    const data = part.type === "opaque" || part.type === "reasoning" ? part.data : undefined;
    const id = isJsonObject(data) ? data["id"] : undefined;
    if (id === undefined || !said.has(id)) return false;
    return part.type === "reasoning" || said.get(id) === JSON.stringify(data);
  };
  return mapEntries(entries, (entry) => {
    if (!isOwn(entry)) return entry;
    const whole = JSON.stringify(entry.content ?? null);
    const isOfAnswer = entry.type === "assistant_message" && typeof entry.content === "object";
    const single =
      isOfAnswer || entry.type === "action"
        ? mapParts(entry, (part) => (isCopy(part) ? [] : part))
        : entry;
    let isSaid = false;
    // The server would require the removed copy of the reasoning by the id of the item that it led to.
    const isCut = single !== entry && !hasReasoning(single);
    const rename = ofIds((id, kind) => {
      const before = said.get(id);
      isSaid ||= isOfAnswer && kind === "message" && before === whole;
      if (before !== undefined) return withoutId(`${textOf(id) ?? ""}_${said.size}`, kind);
      const part = partsOf(single.content).find(
        (one) => one.type === "opaque" && isJsonObject(one.data) && one.data["id"] === id,
      );
      said.set(id, part?.type === "opaque" ? JSON.stringify(part.data) : whole);
      return id;
    });
    // Renamed first: a later copy must not keep an id that is removed here.
    const own = fieldsChanged(rename)(single);
    return isSaid ? [] : isCut ? withoutItemIds(own) : own;
  });
}

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
