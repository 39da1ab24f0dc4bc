import { groupExchanges, isRendered } from "@agent-history/core";
import type {
  ContentPart,
  EntryOrigin,
  HistoryEntry,
  JsonObject,
  JsonValue,
  ObservationEntry,
  ToolCall,
} from "@agent-history/core";
import {
  isJsonObject,
  isLateResult,
  isToolCall,
  mapCalls,
  mapEntries,
  marksOf,
  nameOf,
  parseJson,
  partsOf,
  readCall,
  textOf,
  waitingCalls,
  withoutKeys,
} from "@agent-history/format-kit";
import type { ParsedMessage, WireRule } from "@agent-history/format-kit";

import { isProviderCall, modelCalls } from "./internal/model-parts.ts";
import { readResultPart } from "./internal/read-model.ts";
import { isRequest, itemIdIn } from "./internal/write-model.ts";
import { modelFormat } from "./model-messages.ts";

export const MESSAGES = "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message";

/** Providers with a chat completions API, which does not have provider-run tools. */
export const CHAT: RegExp = /\bchat$|^mistral/u;

/**
 * In an answer are only the calls that this provider ran, and their results. Any other call is one of the caller's, and its result is in a tool message: one that the caller or another provider ran, that occurs twice, or that a tool message
 * answers.
 */
export function callsOfProvider(provider: string): WireRule {
  return {
    name: "provider-call",
    source: MESSAGES,
    remedy: "turns it into a client-side call that a tool message answers",
    repair: (entries) => {
      const answered = new Set<string>();
      for (const entry of entries) {
        const isSent = entry.type === "observation" && !isLateResult(entry);
        if (isSent && !isBesideResponse(entry)) answered.add(entry.callId);
      }
      // The calls that stay, and whether they have run: an approved one occurs again, with its result.
      const own = new Map<string, boolean>();
      // The newest of the other calls, by the id that their results state, and by the id of the request to approve them.
      const callers = new Map<JsonValue | undefined, ToolCall>();
      const asked = new Map<string, ToolCall>();
      const asCallers: AsCallers = (call, action, key) => {
        const { id } = call;
        const request = requestFor(action, id);
        const output = resultIn(partsOf(action.content), id)?.["output"];
        const isNamed = nameOf(key) !== undefined;
        const isRun = isNamed && isRunBy(provider, call, request !== undefined, output);
        if (isRun && !answered.has(id) && own.get(id) !== true) {
          own.set(id, request === undefined);
          callers.delete(key);
          return undefined;
        }
        const extra = withoutKeys(call.extra ?? {}, ["providerExecuted"]);
        const made = { ...call, id: own.has(id) ? `${id}_2` : id, extra };
        callers.set(key, made);
        if (request !== undefined && isProviderCall(call)) asked.set(request.id, made);
        return made;
      };
      return mapEntries(entries, (entry) => {
        if (isAnswer(entry)) return inAnswer(entry, provider, callers, asCallers);
        if (entry.type !== "observation") return entry;
        if (isLateResult(entry)) {
          const callId = callers.get(entry.callId)?.id ?? entry.callId;
          return own.has(callId) ? entry : inOwnMessage({ ...entry, callId });
        }
        const call = asked.get(entry.callId);
        if (call === undefined) return entry;
        // Only this provider would ask for the response.
        const isAnswered = entries.some(
          (one) =>
            one.type === "observation" &&
            one.callId === call.id &&
            one.origin?.message === entry.origin?.message,
        );
        if (entry.outcome !== "denied" || isAnswered) return [];
        return withExtra({ ...entry, callId: call.id, toolName: call.name }, {});
      });
    },
  };
}

/** Returns a call as the caller's; `undefined` if the provider ran it. `key` is the id that its result states. */
type AsCallers = (
  call: ToolCall,
  action: HistoryEntry,
  key: JsonValue | undefined,
) => ToolCall | undefined;

/** Separates the calls of an answer that the provider did not run, and their results, from the other parts. */
function inAnswer(
  entry: HistoryEntry,
  provider: string,
  callers: ReadonlyMap<JsonValue | undefined, ToolCall>,
  asCallers: AsCallers,
): HistoryEntry | readonly HistoryEntry[] {
  const left = mapCalls(
    entry,
    (call) => (isProviderCall(call) && asCallers(call, entry, call.id)) || call,
  );
  const parts = partsOf(entry.content);
  const waiting = waitingCalls();
  const calls: ToolCall[] = [];
  const results: HistoryEntry[] = [];
  const others: ContentPart[] = [];
  // The number of parts before the last call or result.
  let before = 0;
  for (const [index, part] of parts.entries()) {
    const fields = fieldsOf(part);
    const { type, toolCallId } = fields;
    const fallbackId = `${entry.id}-${index}`;
    const call = type === "tool-call" ? readCall(fields, modelCalls, fallbackId) : part;
    const made = isToolCall(call) ? asCallers(call, entry, toolCallId) : undefined;
    const answered = type === "tool-result" ? callers.get(toolCallId) : undefined;
    const result = answered && readResultPart({ ...fields, toolCallId: answered.id }, waiting);
    if (made !== undefined) calls.push(made);
    else if (result !== undefined) results.push(resultOf(entry, index, result));
    else {
      if (!isToolCall(call) || !isLost(call, provider, parts)) others.push(part);
      continue;
    }
    before = others.length;
  }
  if (others.length === parts.length) return left;
  if (left.type === "action") {
    return [{ ...left, content: others, toolCalls: [...left.toolCalls, ...calls] }, ...results];
  }
  const { type: _, ...rest } = left;
  const action = { ...rest, type: "action", toolCalls: calls } as const;
  const answer = { ...rest, type: "assistant_message" } as const;
  if (calls.length === 0) return { ...answer, content: others };
  const after = { ...answer, id: `${entry.id}/after`, origin: originOf(entry, "after") };
  return [
    { ...action, content: others.slice(0, before) },
    ...results,
    ...(before < others.length ? [{ ...after, content: others.slice(before) }] : []),
  ];
}

function resultOf(
  answer: HistoryEntry,
  index: number,
  { says, extra }: ParsedMessage,
): HistoryEntry {
  const origin = originOf(answer, "results", index);
  const id = `${answer.id}/result-${index}`;
  return { ...says, ...marksOf(answer), id, origin: { ...origin, ...(extra && { extra }) } };
}

/** Returns the origin of an entry in a message that follows an answer. */
function originOf({ id }: HistoryEntry, message: string, index = 0): EntryOrigin {
  return { format: modelFormat.name, message: `${id}/${message}`, index };
}

/** Anthropic refuses a call of its own without a result. */
function isLost({ id }: ToolCall, provider: string, parts: readonly ContentPart[]): boolean {
  return provider.includes("anthropic") && resultIn(parts, id) === undefined;
}

function resultIn(parts: readonly ContentPart[], id: string): JsonObject | undefined {
  return parts
    .map(fieldsOf)
    .find(({ type, toolCallId }) => type === "tool-result" && toolCallId === id);
}

/** Returns whether a result is a denial that the AI SDK added beside the response to a provider, and does not send. */
function isBesideResponse({ outcome, origin }: ObservationEntry): boolean {
  const said = JSON.stringify(origin?.extra?.["result"] ?? null);
  return outcome === "denied" && said.includes('"approvalId":');
}

function inOwnMessage(result: ObservationEntry): ObservationEntry {
  const { late: _, ...extra } = result.origin?.extra ?? {};
  return withExtra(result, extra, `${result.id}/result`);
}

function withExtra(
  result: ObservationEntry,
  extra: JsonObject,
  message = result.origin?.message,
): ObservationEntry {
  const { origin } = result;
  if (origin === undefined || message === undefined) return result;
  return { ...result, origin: { ...origin, message, extra } };
}

/** Returns whether a provider may have run a call: chat completions run none, and the others have ids, arguments and requests of their own. */
function isRunBy(
  provider: string,
  call: ToolCall,
  hasRequest: boolean,
  output: JsonValue | undefined,
): boolean {
  const { id, name, extra } = call;
  if (!isProviderCall(call) || CHAT.test(provider)) return false;
  const fields = isJsonObject(extra?.["fields"]) ? extra["fields"] : {};
  const isOfAnthropic = /^(?:srv|mcp)toolu_/u.test(id);
  if (provider.endsWith("responses")) {
    const itemId = itemIdIn(fields) ?? (id.startsWith("call_") ? "fc_" : "");
    return !isOfAnthropic && !itemId.startsWith("fc_") && id.length <= 64;
  }
  if (!provider.includes("anthropic")) return true;
  const { providerOptions } = fields;
  const { anthropic } = isJsonObject(providerOptions) ? providerOptions : {};
  const isOfServer = isJsonObject(anthropic) && anthropic["type"] === "mcp-tool-use";
  const isOwn = id.startsWith("mcp") ? isOfServer : isOfAnthropic;
  const isSent = output === undefined || isResultOf(id.startsWith("mcp") ? "mcp" : name, output);
  return isOwn && isSent && !hasRequest && extra?.["as"] === undefined;
}

/** Tools of Anthropic whose results are lists, and those whose results are objects. A caller may give them other names. */
const LISTS = /^(?:mcp|web_search|tool_search_tool_\w+)$/u;
const OBJECTS = /^(?:code_execution|web_fetch|advisor)$/u;

/** Anthropic's package throws for results of another shape, and sends only JSON, and of errors only their code. */
function isResultOf(name: string, output: JsonValue): boolean {
  const { type, value }: JsonObject = isJsonObject(output) ? output : {};
  if (type === "error-json" || (type === "error-text" && name === "code_execution")) {
    const said = typeof value === "string" ? parseJson(value) : value;
    return name === "mcp" || (isJsonObject(said) && nameOf(said["errorCode"]) !== undefined);
  }
  const isTyped = (one: JsonValue | undefined): boolean =>
    isJsonObject(one) && typeof one["type"] === "string";
  if (type !== "json") return false;
  return Array.isArray(value)
    ? !OBJECTS.test(name) && value.every(isTyped)
    : !LISTS.test(name) && isTyped(value);
}

/** Removes provider-run calls that were never answered, unless the caller's tools still run for them, and unanswered requests, because the result of their call reports that. */
export const interruptedCalls: WireRule = {
  name: "interrupted-call",
  source: "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
  remedy: "removes a provider-run call or an approval request that has no answer",
  repair: (entries) => {
    const isAsked = (call: ToolCall): boolean => isProviderCall(call) || isRequest(call);
    const hasAny = entries.some((one) => one.type === "action" && one.toolCalls.some(isAsked));
    if (!hasAny) return entries;
    const last = entries.at(-1);
    const lost = new Set<ToolCall>();
    for (const group of groupExchanges(entries)) {
      if (group.kind !== "exchange") continue;
      const isRunning = group.running && last?.type === "observation";
      for (const call of group.unanswered) {
        if (isRequest(call) || (isProviderCall(call) && !isRunning)) lost.add(call);
      }
    }
    return mapEntries(entries, (entry) => {
      const left = mapCalls(entry, (call) => (lost.has(call) ? [] : call));
      if (left.type !== "action" || left.toolCalls.length > 0) return left;
      const { toolCalls: _, content = "", ...rest } = left;
      return { ...rest, type: "assistant_message", content };
    });
  },
};

/** Returns whether the newest message answers a request for this call. Then `generateText` denies the call, or runs it if it has the tool. */
export function isAskedFor(
  call: ToolCall,
  entries: readonly HistoryEntry[],
  runnable?: readonly string[],
): boolean {
  if (runnable?.includes(call.name) === false) return false;
  const action = entries.findLast((entry) => entry.type === "action");
  const request = action && requestFor(action, call.id);
  const message = entries.findLast((entry) => isRendered(entry))?.origin?.message;
  return entries.some(
    (entry) =>
      entry.type === "observation" &&
      entry.callId === request?.id &&
      entry.origin?.message === message,
  );
}

/** Instructions and answers that say nothing go first: behind the answer to a request they would end the wait for its call. */
export const blankFirst: WireRule = {
  name: "blank-text",
  source: MESSAGES,
  remedy: "removes blank instructions and answers",
  repair: (entries) =>
    mapEntries(entries, (entry) => {
      const isRemoved = entry.type === "system_message" || entry.type === "assistant_message";
      const isBlank = (part: ContentPart): boolean =>
        part.type === "text" && !/\S/u.test(part.text);
      return isRemoved && partsOf(entry.content).every(isBlank) ? [] : entry;
    }),
};

/** `generateText` throws for a request whose call it cannot find. The AI SDK writes a request after its call. */
export const namedRequests: WireRule = {
  name: "approval-request",
  source: MESSAGES,
  remedy: "names the call before it if there is no call of that id",
  repair: (entries) => mapEntries(entries, withNamedRequests),
};

function withNamedRequests(entry: HistoryEntry): HistoryEntry {
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const ids = new Set<JsonValue | undefined>([
    ...calls.flatMap((call) => (isRequest(call) ? [] : call.id)),
    ...partsOf(entry.content).map((part) => fieldsOf(part)["toolCallId"]),
  ]);
  let before: string | undefined;
  return mapCalls(entry, (call) => {
    if (!isRequest(call)) before = call.id;
    const isNamed = !isRequest(call) || ids.has(requestedCall(call) ?? "");
    if (isNamed || before === undefined) return call;
    const fields = call.extra?.["fields"];
    const named = { ...(isJsonObject(fields) && fields), toolCallId: before };
    return { ...call, extra: { ...call.extra, fields: named } };
  });
}

/** Returns the request to approve a call. */
function requestFor(action: HistoryEntry, callId: string): ToolCall | undefined {
  const calls = action.type === "action" ? action.toolCalls : [];
  return calls.find((call) => requestedCall(call) === callId);
}

/** Returns the id of the call that a request is for. */
function requestedCall(call: ToolCall): string | undefined {
  const fields = call.extra?.["fields"];
  return isRequest(call) && isJsonObject(fields) ? textOf(fields["toolCallId"]) : undefined;
}

export function isAnswer({ type }: HistoryEntry): boolean {
  return type === "action" || type === "assistant_message";
}

export function fieldsOf(part: ContentPart): JsonObject {
  return part.type === "opaque" && isJsonObject(part.data) ? part.data : {};
}
