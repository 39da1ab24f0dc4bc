import { sameJson } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";

import { comparable } from "./known-entries.ts";
import { openFields } from "./scope-fields.ts";

/** Returns whether a given entry is one that the thread keeps: by id and content, or by content alone where a format derived the id. */
export function isSameGiven(kept: HistoryEntry, given: HistoryEntry): boolean {
  if (kept.type !== given.type) return false;
  if (given.origin?.derivedId === true) return sameJson(saidIn(kept), saidIn(given));
  if (kept.id !== given.id) return false;
  const open = openFields(given);
  return sameJson(comparable(kept, open), comparable(given, open));
}

/** What an entry says, whoever kept it: the verbs of the manager, or a message format. */
function saidIn(entry: HistoryEntry): unknown {
  switch (entry.type) {
    case "action": {
      const calls = entry.toolCalls.map((call) => [call.id, call.name, call.arguments]);
      return [calls, plainContent(entry.content ?? "")];
    }
    case "observation":
      return [entry.callId, plainContent(entry.content)];
    case "attachment":
      return [entry.name ?? "", plainContent(entry.content)];
    default:
      return plainContent(entry.content ?? "");
  }
}

/** One part of text is that text. */
function plainContent(content: Content): Content {
  const [part, ...others] = typeof content === "string" ? [] : content;
  return part?.type === "text" && others.length === 0 ? part.text : content;
}
