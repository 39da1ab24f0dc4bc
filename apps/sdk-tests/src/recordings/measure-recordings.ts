import { isDeepStrictEqual } from "node:util";

import { fromAnthropicMessages, toAnthropicMessages } from "@agent-history/anthropic";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { parseJson } from "@agent-history/format-kit";
import { fromResponseItems, toResponseItems } from "@agent-history/openai";

import { readRecordings } from "./read-recordings.ts";
import type { Recording } from "./read-recordings.ts";
import { recordedParts } from "./recorded-parts.ts";
import type { RecordedCall } from "./recorded-parts.ts";

/** Takes a folder of recorded sessions, makes a round trip of each, and prints what was not equal. Ends with 1 if anything was not. */

interface Figures {
  sessions: number;
  messages: number;
  unreadableLines: number;
  messagesChanged: number;
  calls: number;
  callsLost: number;
  results: number;
  resultsLost: number;
  resultsWithoutCall: number;
  texts: number;
  textsLost: number;
  bytes: number;
  opaqueBytes: number;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Expected a folder with claude-code/ and codex/.");
const figures: Record<string, Figures> = {};
for (const recording of readRecordings(folder)) measure(recording);
console.log(JSON.stringify(figures, undefined, 2));
const isWhole = Object.values(figures).every(
  (sum) =>
    sum.messagesChanged + sum.callsLost + sum.resultsLost + sum.textsLost === 0 &&
    sum.opaqueBytes <= sum.bytes * 0.05,
);
process.exitCode = isWhole ? 0 : 1;

function measure({ format, messages, unreadable }: Recording): void {
  const sum = (figures[format] ??= {
    sessions: 0,
    messages: 0,
    unreadableLines: 0,
    messagesChanged: 0,
    calls: 0,
    callsLost: 0,
    results: 0,
    resultsLost: 0,
    resultsWithoutCall: 0,
    texts: 0,
    textsLost: 0,
    bytes: 0,
    opaqueBytes: 0,
  });
  const { entries, back } =
    format === "anthropic" ? tripOfMessages(messages) : tripOfItems(messages);
  const parts = recordedParts(messages);

  sum.sessions += 1;
  sum.messages += messages.length;
  sum.unreadableLines += unreadable;
  sum.messagesChanged +=
    Math.abs(messages.length - back.length) +
    messages.filter((message, index) => !isDeepStrictEqual(back[index], message)).length;
  sum.calls += parts.calls.length;
  sum.callsLost += missing(parts.calls, callsOf(entries), sameCall);
  sum.results += parts.results.length;
  sum.resultsLost += missing(parts.results, pairedResults(entries), (a, b) => a === b);
  sum.resultsWithoutCall += parts.resultsWithoutCall;
  sum.texts += parts.texts.length;
  sum.textsLost += missing(parts.texts, textsOf(entries), (a, b) => a === b);
  sum.bytes += parts.bytes;
  sum.opaqueBytes += opaqueBytes(entries);
}

interface Trip {
  readonly entries: readonly HistoryEntry[];
  readonly back: readonly unknown[];
}

function tripOfMessages(messages: readonly JsonObject[]): Trip {
  const entries = fromAnthropicMessages(messages.map((message) => ({ role: "", ...message })));
  return { entries, back: toAnthropicMessages(entries) };
}

function tripOfItems(items: readonly JsonObject[]): Trip {
  const entries = fromResponseItems(items);
  return { entries, back: toResponseItems(entries) };
}

/** Counts what is in one list and not, in this order, in the other. */
function missing<Value>(
  wanted: readonly Value[],
  found: readonly Value[],
  isSame: (wanted: Value, found: Value) => boolean,
): number {
  let next = 0;
  return wanted.filter((value) => {
    const entryIndex = found.findIndex((other, index) => index >= next && isSame(value, other));
    if (entryIndex >= 0) next = entryIndex + 1;
    return entryIndex < 0;
  }).length;
}

function sameCall(wanted: RecordedCall, found: RecordedCall): boolean {
  if (wanted.id !== found.id || wanted.name !== found.name) return false;
  return wanted.input === found.input || isDeepStrictEqual(read(wanted.input), read(found.input));
}

function read(text: unknown): unknown {
  return typeof text === "string" ? parseJson(text) : text;
}

function callsOf(entries: readonly HistoryEntry[]): readonly RecordedCall[] {
  return entries.flatMap((entry) =>
    entry.type === "action"
      ? entry.toolCalls.map(({ id, name, arguments: input }) => ({ id, name, input }))
      : [],
  );
}

/** The call ids of results that stand behind their call. */
function pairedResults(entries: readonly HistoryEntry[]): readonly string[] {
  const called = new Set<string>();
  return entries.flatMap((entry) => {
    if (entry.type === "action") for (const { id } of entry.toolCalls) called.add(id);
    return entry.type === "observation" && called.has(entry.callId) ? [entry.callId] : [];
  });
}

function textsOf(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap((entry) => {
    const content = "content" in entry ? entry.content : undefined;
    if (typeof content === "string") return [content];
    return (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : []));
  });
}

/** The bytes of what only the format understands; thinking is not among them. */
function opaqueBytes(entries: readonly HistoryEntry[]): number {
  const opaque = entries.flatMap((entry): readonly unknown[] => {
    if (entry.type === "opaque") return [entry.data];
    const content = "content" in entry ? entry.content : undefined;
    if (content === undefined || typeof content === "string") return [];
    return content.flatMap((part) => (part.type === "opaque" ? [part.data] : []));
  });
  return opaque.reduce((sum: number, data) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
}
