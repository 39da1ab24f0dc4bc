import { groupExchanges, isRendered } from "@agent-history/core";
import type {
  HistoryEntry,
  JsonObject,
  JsonValue,
  ObservationEntry,
  ToolCall,
} from "@agent-history/core";
import {
  cameWith,
  countedIds,
  dataOf,
  isJsonObject,
  isLateResult,
  mapCalls,
  mapEntries,
  marksOf,
  nameOf,
  objectOf,
  parseJson,
  partsOf,
  readMessage,
  waitingCalls,
} from "@agent-history/format-kit";
import type { WireRule } from "@agent-history/format-kit";

import { isProviderCall, isRequest, REQUEST } from "./internal/model-parts.ts";
import { itemIdIn } from "./internal/write-model.ts";
import { modelFormat } from "./model-messages.ts";

export const MESSAGES = "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message";

/** Providers with a chat completions API, which does not have provider-run tools. */
export const CHAT: RegExp = /\bchat$|^mistral/u;

/** What is known of the calls of earlier answers. */
interface KnownCalls {
  readonly provider: string;
  readonly results: readonly ObservationEntry[];
  /** The ids of the calls that a tool message answers. */
  readonly answered: ReadonlySet<string>;
  /** The provider's calls, and whether they have run: an approved one occurs again, with its result. */
  readonly own: Map<string, boolean>;
  /** The present ids of the newest of the other calls, by the ids that their results state. */
  readonly callers: Map<JsonValue | undefined, string>;
  /** The calls that another provider was to run, by the ids of the requests to approve them. */
  readonly asked: Map<string, Pick<ObservationEntry, "callId" | "toolName">>;
}

/**
 * In an answer are only the calls that this provider ran, and their results. Any other call is one of the caller's, and its result is in a tool message: one that the caller or another provider ran, that occurs twice, or that a tool message
 * answers. A request names a call of its answer, because `generateText` throws for one whose call it cannot find.
 */
export function callsOfProvider(provider: string): WireRule {
  return {
    name: "provider-call",
    source: MESSAGES,
    remedy:
      "turns it into a client-side call that a tool message answers, and names the call of a request",
    repair: (entries) => {
      const results = entries.filter((entry) => entry.type === "observation");
      const sent = results.filter((one) => !isLateResult(one) && !isBesideResponse(one));
      const known: KnownCalls = {
        provider,
        results,
        answered: new Set(sent.map(({ callId }) => callId)),
        own: new Map(),
        callers: new Map(),
        asked: new Map(),
      };
      return mapEntries(entries, (entry) => {
        if (entry.type === "observation") return soundResult(entry, known);
        return hasCalls(entry) ? soundAnswer(entry, known) : entry;
      });
    },
  };
}

/** Returns whether an answer of the AI SDK has calls that are answered in it or that a provider runs, or requests to approve calls. */
function hasCalls(entry: HistoryEntry): boolean {
  if (!isAnswer(entry) || entry.origin?.format !== modelFormat.name) return false;
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const isIn = partsOf(entry.content).some((part) => dataOf(part)["type"] === "tool-call");
  return isIn || calls.some((call) => isProviderCall(call) || isRequest(call));
}

/** The fields of an entry that are read again. */
const READ = new Set(["type", "content", "toolCalls"]);

/** Separates the results of calls that the provider did not run from the other parts of an answer. */
function soundAnswer(
  entry: HistoryEntry,
  known: KnownCalls,
): HistoryEntry | readonly HistoryEntry[] {
  const written = modelFormat.write([entry], { viewer: {}, isOwn: true, callOf: () => undefined });
  const content = written?.["content"];
  const parts = (Array.isArray(content) ? content : []).map((part: JsonValue) => objectOf(part));
  const byCall = new Map(
    parts.map((part) => [JSON.stringify([part["type"], part["toolCallId"]]), part]),
  );
  const find: FindPart = (type, callId) => byCall.get(JSON.stringify([type, callId]));
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const open = new Set(calls.map(({ id }) => id));
  const said: JsonObject[] = [];
  const results: JsonObject[] = [];
  // The number of parts before the last call of the caller that was in the answer.
  let before = 0;
  let last: string | undefined;
  for (const [index, part] of parts.entries()) {
    const { type, toolCallId: key, output } = part;
    const resultOf = type === "tool-result" ? known.callers.get(key) : undefined;
    if (type === "tool-call") {
      const id = nameOf(key) ?? `${entry.id}-${index}`;
      const isOpen = open.has(id) && part["providerExecuted"] !== true;
      const call = isOpen ? part : soundCall(part, { id, find, isOpen: open.has(id) }, known);
      if (call === undefined) continue;
      said.push(call);
      last = nameOf(call["toolCallId"]);
      if (call !== part) before = said.length;
    } else if (resultOf !== undefined && isJsonObject(output)) {
      results.push({ ...part, toolCallId: resultOf });
      before = said.length;
    } else {
      const id =
        (find("tool-call", key) ? (known.callers.get(key) ?? nameOf(key)) : undefined) ?? last;
      const isMisnamed = type === REQUEST && id !== undefined && id !== key;
      said.push(isMisnamed ? { ...part, toolCallId: id } : part);
    }
  }
  if (said.length === parts.length && said.every((one, at) => one === parts[at])) return entry;
  const waiting = waitingCalls();
  const read = (role: string, some: readonly JsonObject[], id: string): readonly HistoryEntry[] =>
    readMessage(modelFormat, { role, content: some }, { newId: countedIds(id), index: 0, waiting });
  const end = calls.length > 0 || before === 0 ? said.length : before;
  const kept = Object.entries(entry).filter(([key]) => !READ.has(key));
  const [first] = read("assistant", said.slice(0, end), entry.id);
  const after = [
    ...(results.length > 0 ? read("tool", results, `${entry.id}/results`) : []),
    ...(end < said.length ? read("assistant", said.slice(end), `${entry.id}/after`) : []),
  ];
  return [
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer with the other fields of the entry
    { ...first, ...Object.fromEntries(kept) } as HistoryEntry,
    ...after.map((one) => ({ ...one, ...marksOf(entry) })),
  ];
}

/** Returns the part of an answer of this type and call. */
type FindPart = (type: string, callId: JsonValue | undefined) => JsonObject | undefined;

/** Returns the call if the provider ran it, else the call as the caller's; `undefined` if the provider would refuse it. */
function soundCall(
  part: JsonObject,
  { id, find, isOpen }: { readonly id: string; readonly find: FindPart; readonly isOpen: boolean },
  { provider, answered, own, callers, asked }: KnownCalls,
): JsonObject | undefined {
  const { toolCallId: key, toolName } = part;
  const [request, result] = [find(REQUEST, key), find("tool-result", key)];
  const isRun = isRunBy(provider, part, request, result);
  if (isRun && !answered.has(id) && own.get(id) !== true) {
    own.set(id, request === undefined);
    callers.delete(key);
    // Anthropic refuses a call of its own without a result.
    const isLost = result === undefined && !isOpen && provider.includes("anthropic");
    return isLost ? undefined : part;
  }
  const { providerExecuted, ...call } = part;
  const callId = own.has(id) ? `${id}_2` : id;
  callers.set(key, callId);
  const approvalId = providerExecuted === true ? nameOf(request?.["approvalId"]) : undefined;
  if (approvalId !== undefined) asked.set(approvalId, { callId, toolName: nameOf(toolName) ?? "" });
  return { ...call, toolCallId: callId };
}

/** Puts a late result of the caller's call into a tool message, and leaves out a response that only another provider would ask for. */
function soundResult(
  result: ObservationEntry,
  { results, own, callers, asked }: KnownCalls,
): HistoryEntry | readonly HistoryEntry[] {
  const { late, ...extra } = result.origin?.extra ?? {};
  if (late !== undefined) {
    const callId = callers.get(result.callId) ?? result.callId;
    return own.has(callId)
      ? result
      : withExtra({ ...result, callId }, extra, `${result.id}/result`);
  }
  const call = asked.get(result.callId);
  if (call === undefined) return result;
  const message = result.origin?.message;
  const isAnswered = results.some(
    (one) => one.callId === call.callId && one.origin?.message === message,
  );
  if (result.outcome !== "denied" || isAnswered) return [];
  return withExtra({ ...result, ...call }, {}, message);
}

function withExtra(
  result: ObservationEntry,
  extra: JsonObject,
  message: string | undefined,
): ObservationEntry {
  const { origin } = result;
  if (origin === undefined || message === undefined) return result;
  return { ...result, origin: { ...origin, message, extra } };
}

/** Returns whether a result is a denial that the AI SDK added beside the response to a provider, and does not send. */
function isBesideResponse({ outcome, origin }: ObservationEntry): boolean {
  const said = JSON.stringify(origin?.extra?.["result"] ?? null);
  return outcome === "denied" && said.includes('"approvalId":');
}

/** Returns whether a provider may have run a call: chat completions run none, and the others have ids, arguments and requests of their own. */
function isRunBy(
  provider: string,
  part: JsonObject,
  request: JsonObject | undefined,
  result: JsonObject | undefined,
): boolean {
  const { input = {}, providerExecuted, providerOptions } = part;
  const id = nameOf(part["toolCallId"]);
  if (id === undefined || providerExecuted !== true || CHAT.test(provider)) return false;
  const isOfAnthropic = /^(?:srv|mcp)toolu_/u.test(id);
  if (provider.endsWith("responses")) {
    const itemId = itemIdIn(part) ?? (id.startsWith("call_") ? "fc_" : "");
    return !isOfAnthropic && !itemId.startsWith("fc_") && id.length <= 64;
  }
  if (!provider.includes("anthropic")) return true;
  const isOfServer = objectOf(objectOf(providerOptions)["anthropic"])["type"] === "mcp-tool-use";
  const name = id.startsWith("mcp") ? "mcp" : (nameOf(part["toolName"]) ?? "");
  const isOwn = name === "mcp" ? isOfServer : isOfAnthropic;
  const isSent = result === undefined || isResultOf(name, result["output"]);
  return isOwn && isSent && request === undefined && isJsonObject(input);
}

/** Tools of Anthropic whose results are lists, and those whose results are objects. A caller may give them other names. */
const LISTS = /^(?:mcp|web_search|tool_search_tool_\w+)$/u;
const OBJECTS = /^(?:code_execution|web_fetch|advisor)$/u;

/** Anthropic's package throws for results of another shape, and sends only JSON, and of errors only their code. */
function isResultOf(name: string, output: JsonValue | undefined): boolean {
  const { type, value } = objectOf(output);
  if (type === "error-json" || (type === "error-text" && name === "code_execution")) {
    const said = typeof value === "string" ? parseJson(value) : value;
    return name === "mcp" || nameOf(objectOf(said)["errorCode"]) !== undefined;
  }
  const isTyped = (one: JsonValue | undefined): boolean =>
    typeof objectOf(one)["type"] === "string";
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
    if (!entries.some(hasCalls)) return entries;
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
  const request = action?.toolCalls.find(
    (one) => isRequest(one) && cameWith(one, "toolCallId") === call.id,
  );
  const message = entries.findLast((entry) => isRendered(entry))?.origin?.message;
  return entries.some(
    (entry) =>
      entry.type === "observation" &&
      entry.callId === request?.id &&
      entry.origin?.message === message,
  );
}

export function isAnswer({ type }: HistoryEntry): boolean {
  return type === "action" || type === "assistant_message";
}
