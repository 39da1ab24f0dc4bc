import {
  action,
  assistantMessage,
  attachment,
  delegation,
  errorEntry,
  final,
  globalObservation,
  HistoryError,
  isObject,
  memory,
  observation,
  strategicPlan,
  synthesis,
  task,
  userMessage,
} from "@agent-history/core";
import type { EntryFields, EntrySources, HistoryEntry, TaskEntry } from "@agent-history/core";

import type {
  AddedUserMessage,
  CallOptions,
  HistoryWriter,
  NewUserMessage,
  Scope,
  ToolCallResult,
} from "../history-manager.ts";
import { noteGiven, prepareGiven } from "./given-entries.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { delegationIdOf, fieldsInScope } from "./scope-fields.ts";
import { syncConversation } from "./sync-conversation.ts";
import { writeEntries } from "./write-entries.ts";
import type { Draft } from "./write-entries.ts";

/** The methods that store entries. Each fills in missing fields from the scope and returns what is stored. */
export function addVerbs(thread: ManagedThread, scope: Scope): HistoryWriter {
  const { options: sources } = thread;
  const one =
    <Fields extends Scope, Entry extends HistoryEntry>(
      type: Entry["type"],
      make: (fields: Fields, sources: EntrySources) => Entry,
    ) =>
    async (fields: Fields, options?: CallOptions): Promise<Entry> => {
      const entry = make(fieldsInScope(scope, type, fields), sources);
      const [stored] = await writeEntries(thread, [{ entry, given: fields }], options, true);
      return asStored(entry, stored);
    };
  const taskOf = (fields: EntryFields<"task">, by: EntrySources): TaskEntry =>
    task({ ...(scope.agent && { from: scope.agent }), ...fields }, by);
  return {
    addUserMessage: async (message, options) => addUserMessage(thread, scope, message, options),
    addAssistantMessage: one("assistant_message", assistantMessage),
    addMemory: one("memory", memory),
    addError: one("error", errorEntry),
    addToolCalls: one("action", action),
    addTask: one("task", taskOf),
    addDelegation: one("delegation", delegation),
    addPlan: one("strategic_plan", strategicPlan),
    addSynthesis: one("synthesis", synthesis),
    addFinal: one("final", final),
    addToolCallResults: async (results, options) => {
      const drafts = results.map((result) => resultDraft(result, thread, scope));
      const stored = await writeEntries(thread, drafts, options);
      return stored.filter((entry) => entry.type === "observation");
    },
    addGlobalObservation: async (fields, options) => {
      const { sources: found = [], ...rest } = fields;
      const entry = globalObservation(fieldsInScope(scope, "global_observation", rest), sources);
      const [stored] = await writeEntries(
        thread,
        [{ entry, sources: found, given: rest }],
        options,
        true,
      );
      return stored?.type === "global_observation" ? stored : entry;
    },
    delegate: async (fields, options) => {
      const given = taskOf(fieldsInScope(scope, "task", fields), sources);
      const { id, agent: to, from, type: _, ...shared } = given;
      const handing = { ...shared, id: delegationIdOf(id), to, ...(from && { agent: from }) };
      const entries = [delegation(handing, sources), given];
      const drafts = entries.map((entry) => ({ entry, given: fields }));
      return asStored(given, (await writeEntries(thread, drafts, options, true))[1]);
    },
    ...readyVerbs(thread, scope),
  };
}

async function addUserMessage(
  thread: ManagedThread,
  scope: Scope,
  { attachments: files = [], ...fields }: NewUserMessage,
  options: CallOptions | undefined,
): Promise<AddedUserMessage> {
  const message = userMessage(fieldsInScope(scope, "user_message", fields), thread.options);
  const { id: messageId, turnId } = message;
  const drafts: Draft[] = [{ entry: message, given: fields }];
  for (const [index, file] of files.entries()) {
    // Derived from the message's id, so that a retry has the same one.
    const { id = `${messageId}/attachment/${index}` } = file;
    const turn = turnId === undefined ? {} : { turnId };
    const entry = attachment({ ...turn, ...file, id, messageId }, thread.options);
    drafts.push({ entry, given: file });
  }
  const [stored, ...others] = await writeEntries(thread, drafts, options, true);
  return {
    message: asStored(message, stored),
    attachments: others.filter((entry) => entry.type === "attachment"),
  };
}

/** Finished entries. */
function readyVerbs(thread: ManagedThread, scope: Scope): Pick<HistoryWriter, "append" | "sync"> {
  return {
    append: async (entries, options) => {
      requireEntries(entries);
      const prepared = prepareGiven(thread, entries, scope);
      const drafts = new Set(prepared.filter(({ isKept }) => !isKept));
      const written = await writeEntries(thread, [...drafts], options);
      const byId = new Map(written.map((entry) => [entry.id, entry]));
      const stored = prepared.map(({ entry }) => byId.get(entry.id) ?? entry);
      noteGiven(thread, entries, stored);
      return stored;
    },
    sync: async (entries, { signal } = {}) => {
      requireEntries(entries);
      return syncConversation(thread, scope, { given: entries, signal });
    },
  };
}

/** Returns an entry as it is stored: an earlier try may have had other times or another scope, and `beforeStore` another content. */
function asStored<Entry extends HistoryEntry>(
  entry: Entry,
  stored: HistoryEntry | undefined,
): Entry {
  const isOfType = (one: HistoryEntry): one is Entry => one.type === entry.type;
  return stored !== undefined && isOfType(stored) ? stored : entry;
}

const NO_SOURCES = "No relevant sources found.";

function resultDraft(given: ToolCallResult, { options }: ManagedThread, scope: Scope): Draft {
  const result = fieldsInScope(scope, "observation", given);
  if ("error" in result) {
    const { error, ...fields } = result;
    const content = `Tool call ${fields.toolName} failed with error: ${error}`;
    return { entry: observation({ ...fields, content }, options), given };
  }
  const { sources: found, content: said = "", outcome = "success", ...fields } = result;
  // Sources of a handler's answer are numbered and rendered in its content already.
  const sources = found?.some((source) => "number" in source) ? undefined : found;
  // A model that gets an empty result calls again.
  const content = sources?.length === 0 && said === "" ? NO_SOURCES : said;
  const entry = observation({ ...fields, outcome, content }, options);
  return sources === undefined ? { entry, given } : { entry, sources, given };
}

/** Checks that entries are objects with a type and an id before reading anything else. */
function requireEntries(given: unknown): void {
  try {
    if (Array.isArray(given) && given.every(isNamed)) return;
  } catch {
    // A getter of the caller may throw.
  }
  throw new HistoryError(
    "Expected entries: JSON objects with a type and an id; got another value. Nothing was written.",
    { code: "INVALID_ENTRY", details: { path: "" } },
  );
}

function isNamed(value: unknown): boolean {
  return isObject(value) && typeof value["type"] === "string" && typeof value["id"] === "string";
}
