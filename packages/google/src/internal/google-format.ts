import { messageRole } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, ToolCall } from "@agent-history/core";
import {
  indexOf,
  isJsonObject,
  mergeJson,
  placeCalls,
  shownContent,
  writeAnswer,
  writeCall,
  writeParts,
} from "@agent-history/format-kit";
import type { MessageFormat, MessageRun, WriteContext } from "@agent-history/format-kit";

import {
  foreignContent,
  GOOGLE_FORMAT,
  googleCalls,
  googleParts,
  NO_SIGNATURE,
  responsePart,
  UNSIGNED,
} from "./google-parts.ts";
import { readContentOf } from "./read-contents.ts";

/** Contents of Gemini's `generateContent`. A content with responses is an observation for each, and a `user_message` for what stands beside them. */
export const googleFormat: MessageFormat = {
  name: GOOGLE_FORMAT,
  idPrefix: "google",
  types: ["system_message", "user_message", "assistant_message", "action", "observation"],
  shape: "grouped",
  read: readContentOf,
  write: (run, context) => {
    const [first] = run;
    // The request sends it beside its contents.
    if (context.isOwn && isInstruction(first)) return undefined;
    const role = messageRole(first, context.viewer) === "assistant" ? "model" : "user";
    return { role, parts: writeRun(run, context) };
  },
};

/** Tells the `systemInstruction` of a request. */
function isInstruction({ origin }: HistoryEntry): boolean {
  return origin?.format === GOOGLE_FORMAT && origin.extra?.["as"] === "system";
}

function writeRun(run: MessageRun, context: WriteContext): readonly JsonValue[] {
  return writeAnswer<JsonValue>(run, (entry) => writeEntry(entry, context));
}

function writeEntry(entry: HistoryEntry, { isOwn, callOf }: WriteContext): readonly JsonValue[] {
  const shown = shownContent(entry) ?? "";
  const content = isOwn ? shown : foreignContent(shown);
  if (entry.type === "observation") {
    const extra = isOwn ? entry.origin?.extra : undefined;
    const usual = responsePart({ ...entry, content }, { isOwn, isJson: extra?.["json"] === true });
    const difference = extra?.["result"] ?? (isOwn ? undefined : withoutId(callOf(entry)));
    return [mergeJson(usual, isJsonObject(difference) ? difference : undefined)];
  }
  const parts = writeParts(content, googleParts, isOwn);
  if (entry.type !== "action") return parts;
  const calls = entry.toolCalls.map((call) => {
    const written: JsonObject = writeCall(call, googleCalls, isOwn);
    const isUnsigned = call.extra?.[UNSIGNED] === true;
    return {
      block: isUnsigned ? { ...written, thoughtSignature: NO_SIGNATURE } : written,
      index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
    };
  });
  return placeCalls<JsonValue>(parts, calls);
}

/** The result of a call that came without an id has none either. */
function withoutId(call: ToolCall | undefined): JsonObject | undefined {
  const inner = call?.extra?.["inner"];
  const made = isJsonObject(inner) ? inner["functionCall"] : undefined;
  const left = isJsonObject(made) ? made["without"] : undefined;
  const isNamed = Array.isArray(left) && left.includes("id");
  return isNamed ? { inner: { functionResponse: { without: ["id"] } } } : undefined;
}
