import {
  HistoryError,
  action,
  assistantMessage,
  attachment,
  delegation,
  errorEntry,
  final,
  globalObservation,
  memory,
  observation,
  strategicPlan,
  synthesis,
  task,
  userMessage,
} from "@agent-history/core";
import type { EntryFields, HistoryEntry, TaskEntry } from "@agent-history/core";

import type { CallOptions, HistoryWriter } from "../history-manager.ts";
import type { Scope } from "../scope.ts";
import type { ToolCallResult } from "../tool-call-result.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { fieldsInScope, openFields } from "./scope-fields.ts";
import { syncConversation } from "./sync-conversation.ts";
import type { Draft } from "./write-entries.ts";

/** The verbs that write what happens. Each fills in the scope where the fields leave it out, and returns what is stored. */
export function addVerbs(thread: ManagedThread, scope: Scope): Omit<HistoryWriter, "addUsage"> {
  const { options: sources, log, start } = thread;
  const all = async (
    drafts: readonly Draft[],
    { signal }: CallOptions = {},
  ): Promise<readonly HistoryEntry[]> => log.write(drafts, { isAtomic: true, start, signal });
  /** Writes one entry; a retry returns what the first try stored. */
  const one = async <Entry extends HistoryEntry>(
    entry: Entry,
    fields: object,
    options?: CallOptions,
  ): Promise<Entry> => {
    const [stored] = await all([{ entry, open: openFields(fields) }], options);
    return stored === undefined ? entry : asStored(entry, stored);
  };
  const filled = <Fields extends Scope>(fields: Fields): Fields => fieldsInScope(scope, fields);
  const taskOf = (fields: EntryFields<"task">): TaskEntry => {
    // A task is its doer's; the agent of the scope is the one who gives it.
    const { agent: from } = scope;
    const given = fieldsInScope(scope, fields, ["turnId", "phaseId", "taskId"]);
    return task({ ...(from && { from }), ...given }, sources);
  };
  return {
    addUserMessage: async ({ attachments: given = [], ...fields }, options) => {
      // A user is no agent: of the scope, the turn alone is theirs.
      const message = userMessage(fieldsInScope(scope, fields, ["turnId"]), sources);
      const { id: messageId, turnId } = message;
      const turn = turnId === undefined ? {} : { turnId };
      const attachments = given.map((each, index) => {
        // Made from the message's, so that a retry has the same.
        const { id = `${messageId}/attachment/${index}` } = each;
        return attachment({ ...turn, ...each, id, messageId }, sources);
      });
      const stored = await all(
        [
          { entry: message, open: openFields(fields) },
          ...attachments.map((entry, index) => ({ entry, open: openFields(given[index] ?? {}) })),
        ],
        options,
      );
      return {
        message: stored.find((entry) => entry.type === "user_message") ?? message,
        attachments: stored.filter((entry) => entry.type === "attachment"),
      };
    },
    addAssistantMessage: async (fields, options) =>
      one(assistantMessage(filled(fields), sources), fields, options),
    addMemory: async (fields, options) => one(memory(filled(fields), sources), fields, options),
    addError: async (fields, options) => one(errorEntry(filled(fields), sources), fields, options),
    addToolCalls: async (fields, options) => one(action(filled(fields), sources), fields, options),
    addToolCallResults: async (results, { signal } = {}) => {
      const drafts = results.map((result) => resultDraft(filled(result), result, thread));
      const stored = await log.write(drafts, { isAtomic: false, start, signal });
      return stored.filter((entry) => entry.type === "observation");
    },
    addTask: async (fields, options) => one(taskOf(fields), fields, options),
    delegate: async (fields, options) => {
      const given = taskOf(fields);
      const open = openFields(fields);
      const { id, agent: to, from, type: _, ...shared } = given;
      // Its id is made from the task's, so that a retry has the same.
      const handing = { ...shared, id: `${id}/delegation`, to, ...(from && { agent: from }) };
      const stored = await all(
        [
          { entry: delegation(handing, sources), open },
          { entry: given, open },
        ],
        options,
      );
      return stored.find((entry) => entry.type === "task") ?? given;
    },
    addDelegation: async (fields, options) =>
      one(delegation(filled(fields), sources), fields, options),
    addPlan: async (fields, options) => one(strategicPlan(filled(fields), sources), fields, options),
    addSynthesis: async (fields, options) => one(synthesis(filled(fields), sources), fields, options),
    addFinal: async (fields, options) => one(final(filled(fields), sources), fields, options),
    addGlobalObservation: async ({ sources: found = [], ...fields }, options) => {
      const entry = globalObservation(filled(fields), sources);
      const [stored = entry] = await all([{ entry, sources: found, open: openFields(fields) }], options);
      return stored.type === "global_observation" ? stored : entry;
    },
    append: async (entries, { signal } = {}) => {
      requireEntries(entries);
      const prepared = thread.given.prepare(entries, scope);
      const drafts = new Set(prepared.filter(({ isKept }) => !isKept));
      const written = await log.write([...drafts], { isAtomic: false, start, signal });
      const byId = new Map(written.map((entry) => [entry.id, entry]));
      const stored = prepared.map(({ entry }) => byId.get(entry.id) ?? entry);
      thread.given.note(entries, stored);
      return stored;
    },
    sync: async (entries, { signal } = {}) => {
      requireEntries(entries);
      return syncConversation(thread, scope, { given: entries, signal });
    },
  };
}

/** Returns an entry with the fields that the stored one has from an earlier try. */
function asStored<Entry extends HistoryEntry>(entry: Entry, stored: HistoryEntry): Entry {
  const { createdAtMs, turnId, phaseId, taskId, agent } = stored;
  return {
    ...entry,
    createdAtMs,
    ...(turnId !== undefined && { turnId }),
    ...(phaseId !== undefined && { phaseId }),
    ...(taskId !== undefined && { taskId }),
    ...(agent !== undefined && { agent }),
  };
}

const NO_SOURCES = "No relevant sources found.";

function resultDraft(
  result: ToolCallResult,
  given: ToolCallResult,
  { options }: ManagedThread,
): Draft {
  const open = openFields(given);
  if ("error" in result) {
    const { error, ...fields } = result;
    const content = `Tool call ${fields.toolName} failed with error: ${error}`;
    return { entry: observation({ ...fields, content }, options), open };
  }
  const { sources: found, content: said = "", ...fields } = result;
  // A model that reads nothing at all asks again.
  const content = found?.length === 0 && said === "" ? NO_SOURCES : said;
  const entry = observation({ ...fields, outcome: "success", content }, options);
  return found === undefined ? { entry, open } : { entry, sources: found, open };
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
