import { isRendered, messageRole, overReadable } from "@agent-history/core";
import type { HistoryEntry, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";
import type { UIMessage } from "ai";

import { withoutInstructions } from "./internal/read-instructions.ts";
import { uiPartsOf } from "./internal/ui-parts.ts";
import { restoreMessage } from "./internal/with-metadata.ts";
import { toModelMessages } from "./to-model-messages.ts";

/**
 * Turns entries into UI messages, for `useChat` and for pages that show a thread. Linear.
 *
 * What `fromUIMessages` read comes back as it came: ids, metadata, data parts, sources, files, tool states; without what JSON does not have, such as
 * `undefined`. Other entries become messages of their role: an answer with its calls and their results is one message, up to the next user
 * message. Summaries and memories, which are for the model, are left out, and so are instructions. A message that was read with `newId` comes back in pieces.
 *
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { toUIMessages } from "@agent-history/ai-sdk";
 *
 * toUIMessages([
 *   userMessage({ id: "u1", content: "To Rome, please." }),
 *   assistantMessage({ id: "a1", content: "Two flights go there." }),
 * ]);
 * // => [
 * //   { id: "u1", role: "user", parts: [{ type: "text", text: "To Rome, please." }] },
 * //   {
 * //     id: "a1",
 * //     role: "assistant",
 * //     parts: [{ type: "step-start" }, { type: "text", text: "Two flights go there." }],
 * //   },
 * // ]
 * ```
 */
export function toUIMessages(entries: readonly HistoryEntry[]): UIMessage[] {
  const messages: readonly unknown[] = overReadable(entries, (readable) =>
    runsOf(withoutInstructions(readable)).flatMap((run): readonly unknown[] => {
      const message = messageOf(run);
      return message === undefined ? [] : [message];
    }),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a UI message goes out as one, whatever stands in it
  return messages as UIMessage[];
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
