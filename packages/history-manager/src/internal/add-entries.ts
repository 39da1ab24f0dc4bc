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
  return {
    ...conversationVerbs(thread, scope),
    ...coordinationVerbs(thread, scope),
    ...readyVerbs(thread, scope),
  };
}

/** Writes drafts in one write. */
async function writeAll(
  { log, start }: ManagedThread,
  drafts: readonly Draft[],
  { signal }: CallOptions = {},
): Promise<readonly HistoryEntry[]> {
  return log.write(drafts, { isAtomic: true, start, signal });
}

/** Writes one entry, made of `fields`; a retry returns what the first try stored. */
async function writeOne<Entry extends HistoryEntry>(
  thread: ManagedThread,
  entry: Entry,
  fields: object,
  options?: CallOptions,
): Promise<Entry> {
  const [stored] = await writeAll(thread, [{ entry, open: openFields(fields) }], options);
  return stored === undefined ? entry : asStored(entry, stored);
}

type ConversationVerbs = Pick<
  HistoryWriter,
  | "addUserMessage"
  | "addAssistantMessage"
  | "addMemory"
  | "addError"
  | "addToolCalls"
  | "addToolCallResults"
>;

/** What the user and an agent say, call and get. */
function conversationVerbs(thread: ManagedThread, scope: Scope): ConversationVerbs {
  const { options: sources, log, start } = thread;
  const filled = <Fields extends Scope>(fields: Fields): Fields => fieldsInScope(scope, fields);
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
      const stored = await writeAll(
        thread,
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
      writeOne(thread, assistantMessage(filled(fields), sources), fields, options),
    addMemory: async (fields, options) =>
      writeOne(thread, memory(filled(fields), sources), fields, options),
    addError: async (fields, options) =>
      writeOne(thread, errorEntry(filled(fields), sources), fields, options),
    addToolCalls: async (fields, options) =>
      writeOne(thread, action(filled(fields), sources), fields, options),
    addToolCallResults: async (results, { signal } = {}) => {
      const drafts = results.map((result) => resultDraft(filled(result), result, thread));
      const stored = await log.write(drafts, { isAtomic: false, start, signal });
      return stored.filter((entry) => entry.type === "observation");
    },
  };
}

type CoordinationVerbs = Pick<
  HistoryWriter,
  | "addTask"
  | "delegate"
  | "addDelegation"
  | "addPlan"
  | "addSynthesis"
  | "addFinal"
  | "addGlobalObservation"
>;

/** How agents divide the work, and what they report. */
function coordinationVerbs(thread: ManagedThread, scope: Scope): CoordinationVerbs {
  const { options: sources } = thread;
  const filled = <Fields extends Scope>(fields: Fields): Fields => fieldsInScope(scope, fields);
  const taskOf = (fields: EntryFields<"task">): TaskEntry => {
    // A task is its doer's; the agent of the scope is the one who gives it.
    const { agent: from } = scope;
    const given = fieldsInScope(scope, fields, ["turnId", "phaseId", "taskId"]);
    return task({ ...(from && { from }), ...given }, sources);
  };
  return {
    addTask: async (fields, options) => writeOne(thread, taskOf(fields), fields, options),
    delegate: async (fields, options) => {
      const given = taskOf(fields);
      const open = openFields(fields);
      const { id, agent: to, from, type: _, ...shared } = given;
      // Its id is made from the task's, so that a retry has the same.
      const handing = { ...shared, id: `${id}/delegation`, to, ...(from && { agent: from }) };
      const stored = await writeAll(
        thread,
        [
          { entry: delegation(handing, sources), open },
          { entry: given, open },
        ],
        options,
      );
      return stored.find((entry) => entry.type === "task") ?? given;
    },
    addDelegation: async (fields, options) =>
      writeOne(thread, delegation(filled(fields), sources), fields, options),
    addPlan: async (fields, options) =>
      writeOne(thread, strategicPlan(filled(fields), sources), fields, options),
    addSynthesis: async (fields, options) =>
      writeOne(thread, synthesis(filled(fields), sources), fields, options),
    addFinal: async (fields, options) =>
      writeOne(thread, final(filled(fields), sources), fields, options),
    addGlobalObservation: async ({ sources: found = [], ...fields }, options) => {
      const entry = globalObservation(filled(fields), sources);
      const [stored = entry] = await writeAll(
        thread,
        [{ entry, sources: found, open: openFields(fields) }],
        options,
      );
      return stored.type === "global_observation" ? stored : entry;
    },
  };
}

/** Entries that are made already. */
function readyVerbs(thread: ManagedThread, scope: Scope): Pick<HistoryWriter, "append" | "sync"> {
  const { log, start } = thread;
  return {
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
