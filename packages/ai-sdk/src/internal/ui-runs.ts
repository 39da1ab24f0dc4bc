import { isRendered, messageRole, overReadable } from "@agent-history/core";
import type { HistoryEntry, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

import { toModelMessages } from "../to-model-messages.ts";
import { withoutInstructions } from "./read-instructions.ts";
import { restoreMessage, uiPartsOf } from "./ui-parts.ts";

/** A UI message, and the entries that it is made of. */
export interface UiRun {
  readonly message: unknown;
  readonly entries: readonly [HistoryEntry, ...HistoryEntry[]];
}

/** Groups entries by the UI message that they are of, and restores each. */
export function readUiRuns(entries: readonly HistoryEntry[]): readonly UiRun[] {
  return overReadable(entries, (readable) =>
    runsOf(withoutInstructions(readable)).flatMap((run): readonly UiRun[] => {
      const message = messageOf(run);
      return message === undefined ? [] : [{ message, entries: run }];
    }),
  );
}

type Run = readonly [HistoryEntry, ...HistoryEntry[]];

/** Groups entries by the message that they are of. */
function runsOf(entries: readonly HistoryEntry[]): readonly Run[] {
  const runs: [HistoryEntry, ...HistoryEntry[]][] = [];
  for (const entry of entries) {
    const isShown = isCarrier(entry) || (isRendered(entry) && !isForModel(entry));
    if (!isShown) continue;
    const run = runs.at(-1);
    if (run !== undefined && isOfRun(entry, run)) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

function isOfRun(entry: HistoryEntry, [first]: Run): boolean {
  if (isCarrier(entry) || wholeOf(entry) !== undefined || wholeOf(first) !== undefined)
    return false;
  if (isCarrier(first)) return entry.id.startsWith(`${first.id}/`);
  return isOfAnswer(first) && isOfAnswer(entry);
}

function isOfAnswer(entry: HistoryEntry): boolean {
  const role = messageRole(entry);
  return role === "assistant" || role === "tool";
}

function messageOf(run: Run): unknown {
  const [first] = run;
  const whole = wholeOf(first);
  if (whole !== undefined) return whole;
  // The page shows what the user wrote, the model what was made of it.
  const written = run.map((entry) => (entry.type === "user_message" ? asWritten(entry) : entry));
  const says = toModelMessages(written);
  const known = restoreMessage(first, says);
  if (known !== undefined) return { id: known.id, ...known.fields };
  const [message] = says;
  return message && { id: first.id, role: roleOf(first), parts: uiPartsOf(says) };
}

function asWritten(entry: HistoryEntry & { readonly type: "user_message" }): HistoryEntry {
  const { rendered, ...written } = entry;
  return rendered === undefined ? entry : written;
}

function roleOf(entry: HistoryEntry): "system" | "user" | "assistant" {
  const role = messageRole(entry);
  return role === "tool" ? "assistant" : role;
}

function isForModel({ type }: HistoryEntry): boolean {
  return type === "summary" || type === "memory";
}

function isCarrier({ metadata }: HistoryEntry): boolean {
  return isJsonObject(metadata?.["uiMessage"]);
}

/** Returns the message that the AI SDK could not convert, which its entry holds whole. */
function wholeOf({ type, content, origin }: HistoryEntry): JsonValue | undefined {
  if (type !== "assistant_message" || !Array.isArray(content) || origin === undefined)
    return undefined;
  const [part] = content;
  if (part?.type !== "opaque" || part.extra?.["as"] !== "message") return undefined;
  return isJsonObject(part.data) && Array.isArray(part.data["parts"]) ? part.data : undefined;
}
