import { HistoryError, action, observation } from "@agent-history/core";

import type { HistoryWriter } from "../history-manager.ts";
import type { Scope } from "../scope.ts";
import type { ToolCallResult } from "../tool-call-result.ts";
import { fieldsInScope } from "./fields-in-scope.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { syncConversation } from "./sync-conversation.ts";
import type { UnnumberedEntry } from "./unnumbered-entry.ts";
import { writeOne } from "./write-one.ts";

const NO_SOURCES = "No relevant sources found.";

/** Keeps what a model calls, and what the tools gave. */
export function toolVerbs(
  thread: ManagedThread,
  scope: Scope,
): Pick<HistoryWriter, "addToolCalls" | "addToolCallResults" | "append" | "sync"> {
  const { options: sources, log, start } = thread;
  return {
    addToolCalls: async (fields, options) =>
      writeOne(thread, action(fieldsInScope(scope, fields), sources), options),

    addToolCallResults: async (results, { signal } = {}) => {
      const drafts = results.map((result) => draftOf(fieldsInScope(scope, result), thread));
      const kept = await log.write(drafts, { isAtomic: false, start, signal });
      return kept.filter((entry) => entry.type === "observation");
    },

    append: async (entries, { signal } = {}) => {
      requireEntries(entries);
      const prepared = thread.given.prepare(entries, scope);
      const drafts = new Set(prepared.filter(({ isKept }) => !isKept));
      const written = await log.write([...drafts], { isAtomic: false, start, signal });
      const byId = new Map(written.map((entry) => [entry.id, entry]));
      const kept = prepared.map(({ entry }) => byId.get(entry.id) ?? entry);
      thread.given.note(entries, kept);
      return kept;
    },

    sync: async (entries, { signal } = {}) => {
      requireEntries(entries);
      return syncConversation(thread, scope, { given: entries, signal });
    },
  };
}

function draftOf(result: ToolCallResult, { options }: ManagedThread): UnnumberedEntry {
  if ("error" in result) {
    const { error, ...fields } = result;
    const content = `Tool call ${fields.toolName} failed with error: ${error}`;
    return { entry: observation({ ...fields, content }, options) };
  }
  const { sources: found, content: said = "", ...fields } = result;
  // A model that reads nothing at all asks again.
  const content = found?.length === 0 && said === "" ? NO_SOURCES : said;
  const entry = observation({ ...fields, outcome: "success", content }, options);
  return found === undefined ? { entry } : { entry, sources: found };
}

/** Refuses what is no list of objects with a type and an id, before anything is read of it. */
function requireEntries(given: unknown): void {
  if (Array.isArray(given) && given.every(isNamed)) return;
  throw new HistoryError(
    "Expected entries: JSON objects with a type and an id; got another value. Nothing was written.",
    { code: "INVALID_ENTRY", details: { path: "" } },
  );
}

function isNamed(value: unknown): boolean {
  try {
    if (typeof value !== "object" || value === null) return false;
    return (
      typeof Reflect.get(value, "type") === "string" && typeof Reflect.get(value, "id") === "string"
    );
  } catch {
    return false;
  }
}
