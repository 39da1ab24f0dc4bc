import { isRendered, messageRole, userMessage } from "@agent-history/core";
import type { HistoryEntry, MessageRole, Viewer } from "@agent-history/core";

import { marksOf } from "./wire-rules.ts";
import type { WireRule } from "./wire-rules.ts";

/** Asks a model to continue. */
export const GO_ON = "(Continue.)";

/** Returns the role that an entry is written as. */
type RoleOf = (entry: HistoryEntry, viewer: Viewer) => MessageRole;

/** A conversation begins with a user message. */
export function beginsWithUser(source: string, roleOf: RoleOf = messageRole): WireRule {
  return {
    name: "begins-with-answer",
    source,
    remedy: "adds a user message before it, which says that the assistant begins",
    repair: (entries, viewer) => {
      const isSystem = (entry: HistoryEntry): boolean => roleOf(entry, viewer) === "system";
      const index = entries.findIndex((entry) => isRendered(entry) && !isSystem(entry));
      const first = entries[index];
      const isBegun =
        first === undefined ? entries.length === 0 : roleOf(first, viewer) !== "assistant";
      if (isBegun) return entries;
      const createdAtMs = (first ?? entries[0])?.createdAtMs ?? 0;
      const said = userMessage({ id: "opening", createdAtMs, content: "(The assistant begins.)" });
      return entries.toSpliced(first === undefined ? entries.length : index, 0, said);
    },
  };
}

/**
 * A conversation ends with a user message or a result, so that the model has something to answer.
 *
 * @param mayEnd - Returns whether an entry may nevertheless be last.
 */
export function endsWithUser(
  source: string,
  mayEnd: (entry: HistoryEntry) => boolean = () => false,
  roleOf: RoleOf = messageRole,
): WireRule {
  return {
    name: "ends-with-answer",
    source,
    remedy: "adds a user message after it, which asks to continue",
    repair: (entries, viewer) => {
      const last = entries.findLast(
        (entry) => isRendered(entry) && roleOf(entry, viewer) !== "system",
      );
      if (last === undefined || roleOf(last, viewer) !== "assistant" || mayEnd(last))
        return entries;
      // Not a `user_message`, which would begin a turn and become the question.
      const said = { type: "global_observation", id: "ending", content: GO_ON } as const;
      return [...entries, { ...said, ...marksOf(last) }];
    },
  };
}
