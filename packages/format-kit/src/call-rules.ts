import { groupExchanges, isObject, repairHistory, userMessage } from "@agent-history/core";
import type {
  ActionEntry,
  HistoryEntry,
  JsonValue,
  ObservationEntry,
  Repair,
  ToolCall,
} from "@agent-history/core";

import { withoutKeys } from "./field-rules.ts";
import { isJsonObject, wellFormedJson } from "./json.ts";
import { textHash } from "./read-messages.ts";
import { mapCalls, mapEntries, mapParts, marksOf } from "./wire-rules.ts";
import type { RepairedEntries, WireRule } from "./wire-rules.ts";

/** A provider's requirement for ids or names. */
export interface NameShape {
  readonly source: string;
  readonly isTaken: (name: string) => boolean;
  /** Default: replaces characters other than letters, digits, `_` and `-` with `_` and appends a hash of the original for uniqueness; at most 64 characters. */
  readonly rename?: (name: string) => string;
  /** Returns whether the tool of a call may have any name, because the provider runs it. Default: none. */
  readonly isExempt?: (call: ToolCall) => boolean;
}

/** Returns whether a trailing call may be sent without a result, because it runs later. */
export type MayWait = (call: ToolCall, entries: readonly HistoryEntry[]) => boolean;

/**
 * Every result directly follows its call, and every call has a result. An orphaned result gets a placeholder call; an unanswered call gets a placeholder result. Wraps core's
 * `repairHistory`, but also treats the last action as finished, so that its calls are answered too, except those that may wait.
 */
export function pairedCalls(source: string, mayWait: MayWait = () => false): WireRule {
  return {
    name: "pairing",
    source,
    remedy: "moves results after their calls, and adds a placeholder for a lost result or call",
    repair: (entries) => (arePaired(entries, mayWait) ? entries : pair(entries, mayWait)),
  };
}

/** Fast check of the usual case: each action is directly followed by its results. */
function arePaired(entries: readonly HistoryEntry[], mayWait: MayWait): boolean {
  for (let index = 0; index < entries.length;) {
    const entry = entries[index];
    index += 1;
    if (entry?.type === "observation") return false;
    if (entry?.type !== "action") continue;
    const open = [...entry.toolCalls];
    if (open.some(({ id, callerId }) => id === "" || callerId !== undefined)) return false;
    for (; open.length > 0; index += 1) {
      const result = entries[index];
      if (result?.type !== "observation") break;
      const answers = open.findIndex(({ id }) => isAnswer(result, id, entry));
      if (answers < 0) return false;
      open.splice(answers, 1);
    }
    const isWaiting = index === entries.length && open.every((call) => mayWait(call, entries));
    if (open.length > 0 && !isWaiting) return false;
  }
  return true;
}

function isAnswer(result: ObservationEntry, callId: string, action: ActionEntry): boolean {
  const isNamed = result.actionId === undefined || result.actionId === action.id;
  return result.callId === callId && isNamed && result.agent?.id === action.agent?.id;
}

/** Appended so that `repairHistory` treats the last action as finished. */
const END = userMessage({ id: "", createdAtMs: 0, content: "" });

function pair(given: readonly HistoryEntry[], mayWait: MayWait): RepairedEntries {
  const last = groupExchanges(given).findLast((group) => group.kind === "exchange");
  const open = last?.running === true ? last.unanswered : [];
  // Results that are there for the repair only.
  const held = open.flatMap((call): readonly ObservationEntry[] => {
    if (last === undefined || !mayWait(call, given)) return [];
    const said = { callId: call.id, toolName: call.name, outcome: "success", content: "" } as const;
    return [{ type: "observation", ...marksOf(last.action), id: `waiting ${call.id}`, ...said }];
  });
  const { entries, repairs } = addCalls([...given, ...held, END]);
  const paired = repairHistory(entries);
  const added = new Set(held.map(({ id }) => id));
  const now = paired.entries.slice(0, -1).filter(({ id }) => !added.has(id));
  const isSame = now.length === given.length && now.every((entry, at) => entry === given[at]);
  if (isSame) return { entries: given, repairs: [] };
  return { entries: now, repairs: [...repairs, ...paired.repairs] };
}

/** Inserts a placeholder call before each orphaned result. If a result occurs twice, only one gets a call: core removes the other. */
function addCalls(entries: readonly HistoryEntry[]): RepairedEntries {
  const repairs: Repair[] = [];
  const singles = groupExchanges(entries).flatMap((group) =>
    group.kind === "single" ? [group.entry] : [],
  );
  const orphans = new Set(singles.filter(({ type }) => type === "observation"));
  if (orphans.size === 0) return { entries, repairs };
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const called = mapEntries(entries, (entry) => {
    if (entry.type !== "observation" || !orphans.has(entry)) return entry;
    if (byId.get(entry.id) !== entry) return entry;
    repairs.push({ kind: "format", entryId: entry.id });
    return withCall(entry);
  });
  return { entries: called, repairs };
}

const NO_CALL = JSON.stringify({ note: "The call of this result was not recorded." });

/** Drops the origin, because format-specific fields of the result may belong to another kind of call; opaque parts become text. */
function withCall(given: ObservationEntry): readonly HistoryEntry[] {
  const { origin: _, ...rest } = given;
  const callId = given.callId === "" ? `call_${textHash(given.id)}` : given.callId;
  const result = mapParts({ ...rest, callId, actionId: `${given.id}/call` }, (part) =>
    part.type === "opaque" ? { type: "text", text: JSON.stringify(part.data) } : part,
  );
  const toolCalls = [{ id: callId, name: given.toolName, arguments: NO_CALL }];
  return [{ type: "action", ...marksOf(given), id: `${given.id}/call`, toolCalls }, result];
}

/**
 * Calls without a valid id are sent with their generated id, and so are their results.
 *
 * @param keys - Fields of calls and results that contain the id.
 * @param ofApprovals - Fields of approval requests that contain the id.
 */
export function statedIds(
  source: string,
  keys: readonly string[],
  ofApprovals: readonly string[] = [],
): WireRule {
  return {
    name: "missing-call-id",
    source,
    remedy: "gives the call and its result an id derived from its position",
    call: (call) => {
      if (call.extra === undefined) return call;
      // An approval request also has the id of its call, which stays.
      const extra = withoutKeys(call.extra, call.kind === "approval" ? ofApprovals : keys);
      return extra === call.extra ? call : { ...call, extra };
    },
    extra: (extra, { type }) => {
      if (type !== "observation") return extra;
      const own = withoutKeys(extra, keys);
      const { result } = own;
      const inner = isJsonObject(result) ? withoutKeys(result, keys) : result;
      return inner === undefined || inner === result ? own : { ...own, result: inner };
    },
  };
}

/** Call ids have the shape that the provider accepts; the ids of results are renamed alike. */
export function callIds({ source, isTaken, rename = safeName }: NameShape): WireRule {
  const taken = (id: string): string => (isTaken(id) ? id : rename(id));
  return {
    name: "call-id",
    source,
    remedy: "renames the id in the call and its result; the new id depends only on the old one",
    call: (call) => {
      const { callerId } = call;
      const id = taken(call.id);
      const caller = callerId === undefined ? callerId : taken(callerId);
      if (id === call.id && caller === callerId) return call;
      return { ...call, id, ...(caller !== undefined && { callerId: caller }) };
    },
    result: (result) => {
      const callId = taken(result.callId);
      return callId === result.callId ? result : { ...result, callId };
    },
  };
}

/** Tool names have the shape that the provider accepts. The names of tools that the provider runs, e.g. on an MCP server, are not sent as tools of the caller, and stay. */
export function toolNames({
  source,
  isTaken,
  rename = safeName,
  isExempt = () => false,
}: NameShape): WireRule {
  const isOdd = (name: string, call: ToolCall): boolean => !isTaken(name) && !isExempt(call);
  return {
    name: "tool-name",
    source,
    remedy: "renames it everywhere; the new name depends only on the old one",
    repair: (entries) =>
      mapResults(
        mapEntries(entries, (entry) =>
          mapCalls(entry, (call) =>
            isOdd(call.name, call) ? { ...call, name: rename(call.name) } : call,
          ),
        ),
        (result, call) =>
          isOdd(result.toolName, call) ? { ...result, toolName: rename(result.toolName) } : result,
      ),
  };
}

const MAX_NAME = 64;

/** Returns a name that providers accept. Deterministic; different names stay different. */
export function safeName(name: string): string {
  const hash = `${textHash(name)}${textHash(`${name}.`)}`;
  const readable = name.replaceAll(/[^\w-]/gu, "_").slice(0, MAX_NAME - 1 - hash.length);
  return `${readable}_${hash}`;
}

/**
 * Call ids are unique within a request: a later call and its result are renamed. Expects paired calls.
 *
 * @param carriedIds - Returns the ids of calls that are in the content of an entry. Default: none.
 */
export function uniqueCalls(source: string, carriedIds: CarriedIds = () => []): WireRule {
  return {
    name: "duplicate-call-id",
    source,
    remedy: "gives the later call and its result a new id",
    repair: (entries) => giveOwnIds(entries, carriedIds),
  };
}

type CarriedIds = (entry: HistoryEntry) => readonly string[];

function giveOwnIds(
  entries: readonly HistoryEntry[],
  carriedIds: CarriedIds,
): readonly HistoryEntry[] {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  // New ids of calls without a result yet, by old id, newest action first.
  const waiting = new Map<string, readonly string[]>();
  const ownId = (id: string): string => {
    let count = counts.get(id) ?? 1;
    let own = id;
    for (; taken.has(own); own = `${id}_${count}`) count += 1;
    counts.set(id, count);
    taken.add(own);
    return own;
  };
  return mapEntries(entries, (entry) => {
    for (const id of carriedIds(entry)) taken.add(id);
    if (entry.type === "observation") {
      if (!waiting.has(entry.callId)) return entry;
      const [callId = entry.callId, ...others] = waiting.get(entry.callId) ?? [];
      waiting.set(entry.callId, others);
      return callId === entry.callId ? entry : { ...entry, callId };
    }
    if (entry.type !== "action") return entry;
    const names = new Map<string, string[]>();
    const now = mapCalls(entry, (call) => {
      const id = ownId(call.id);
      names.set(call.id, [...(names.get(call.id) ?? []), id]);
      return id === call.id ? call : { ...call, id };
    });
    for (const [id, own] of names) waiting.set(id, [...own, ...(waiting.get(id) ?? [])]);
    return now;
  });
}

/** Arguments are a JSON object: another JSON value moves to `value`, text that is not JSON to `_raw`. Applies to text of custom tools only if `ofCustom`. */
export function objectArguments(source: string, ofCustom = false): WireRule {
  return {
    name: "arguments-object",
    source,
    remedy: "wraps another value in `value`, and text that is not JSON in `_raw`",
    call: (call) => {
      // A request for an approval may have none.
      const hasNone = call.kind === "approval" && call.arguments === "";
      if (hasNone || (call.kind === "custom" && !ofCustom)) return call;
      const text = objectText(call.arguments);
      return text === call.arguments ? call : { ...call, arguments: text };
    },
  };
}

/** Returns arguments as JSON text of an object. */
export function objectText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? wellFormedJson(text) : JSON.stringify({ value });
  } catch {
    return text.trim() === "" ? "{}" : JSON.stringify({ _raw: text });
  }
}

/**
 * Applies `change` to each result and the call that it answers (the newest with its id); returns the same list if nothing changes.
 *
 * @param key - Only results of calls whose original object had this field. Default: all.
 */
export function mapResults(
  entries: readonly HistoryEntry[],
  change: (result: ObservationEntry, call: ToolCall) => ObservationEntry,
  key?: string,
): readonly HistoryEntry[] {
  const calls = new Map<string, ToolCall>();
  return mapEntries(entries, (entry) => {
    if (entry.type === "action") {
      for (const call of entry.toolCalls) {
        if (key === undefined || cameWith(call, key) !== undefined) calls.set(call.id, call);
        else if (calls.size > 0) calls.delete(call.id);
      }
    }
    if (entry.type !== "observation" || calls.size === 0) return entry;
    const call = calls.get(entry.callId);
    return call === undefined ? entry : change(entry, call);
  });
}

/** Returns a field of a call's original object that the entry does not have, e.g. the `type` of its block. */
export function cameWith({ extra }: ToolCall, key: string): JsonValue | undefined {
  const fields = extra?.["fields"];
  return isJsonObject(fields) ? fields[key] : undefined;
}
