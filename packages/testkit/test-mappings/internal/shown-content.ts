import { renderSources } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";

import type { EntryDraft } from "./entry-draft.ts";
import { partsOf } from "./part-codec.ts";

/** Gives what the model is shown of an entry: a user's message as it is rendered, a result with its sources. */
export function shownContent(entry: HistoryEntry | EntryDraft["says"]): Content | undefined {
  if (entry.type === "user_message") return entry.rendered ?? entry.content;
  if (entry.type !== "observation" && entry.type !== "global_observation") return entry.content;
  if (entry.sources === undefined) return entry.content;
  return [...partsOf(entry.content), { type: "text", text: renderSources(entry.sources) }];
}
