import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { isJsonObject, nameOf, toJson } from "@agent-history/format-kit";
import type { ModelMessage, UIMessage } from "ai";

import { uiPartsOf } from "./ui-parts.ts";
import { fillTemplate, uiTemplate } from "./ui-template.ts";

/** Returns what a UI message has and a prompt has no place for: for the metadata of its first entry. */
export function uiMetadata(message: UIMessage, became: readonly ModelMessage[]): JsonObject {
  const json = toJson(message);
  const { id, metadata, parts } = isJsonObject(json) ? json : {};
  const template = uiTemplate(uiPartsOf(became), Array.isArray(parts) ? parts : []);
  return {
    ...(id !== undefined && { id }),
    ...(metadata !== undefined && { metadata }),
    ...(template !== undefined && { parts: template }),
  };
}

/** Returns the UI message of its entries and what they say now; `undefined` where they came from none. */
export function restoreMessage(
  entry: HistoryEntry,
  says: readonly ModelMessage[],
): { readonly id: string; readonly fields: JsonObject } | undefined {
  const uiMessage = entry.metadata?.["uiMessage"];
  if (!isJsonObject(uiMessage)) return undefined;
  const { id, metadata, role, parts: template } = uiMessage;
  const usual = uiPartsOf(says);
  return {
    id: nameOf(id) ?? entry.id,
    fields: {
      role: role ?? says[0]?.role ?? "assistant",
      ...(metadata !== undefined && { metadata }),
      parts: Array.isArray(template) ? fillTemplate(usual, template) : usual,
    },
  };
}
