import type { EntrySources, HistoryEntry } from "@agent-history/core";

import type { Scope } from "../scope.ts";
import { newName } from "./new-name.ts";
import { fieldsInScope } from "./scope-fields.ts";

/** An entry that a caller gave, as it is to be kept. */
export interface GivenEntry {
  readonly entry: HistoryEntry;
  readonly given: HistoryEntry;
  readonly isKept: boolean;
}

/** Makes of entries that callers give those that the thread keeps, and remembers them by object. */
export interface GivenEntries {
  /**
   * Fills in the place, and gives entries whose ids a format derived ids of their own: then calls, results, attachments and the
   * entries of one message name each other by these. The same object once more gives the same entry: it is a retry.
   */
  readonly prepare: (given: readonly HistoryEntry[], scope: Scope) => readonly GivenEntry[];
  /** Notes what was kept for each. */
  readonly note: (given: readonly HistoryEntry[], kept: readonly HistoryEntry[]) => void;
}

/** Of how many entries the derived ids are remembered, for results that come in a later call. */
const MAX_NAMES = 1000;

/** Begins a memory of what callers gave to one thread. */
export function givenEntries(sources: EntrySources): GivenEntries {
  const known = new WeakMap<HistoryEntry, GivenEntry>();
  const names = new Map<string, string>();
  return {
    prepare: (given, scope) => {
      const renaming: Renaming = { sources, names, messages: new Map() };
      return given.map((entry) => {
        const isDerived = entry.origin?.derivedId === true;
        const prepared =
          known.get(entry) ?? fillScope(isDerived ? withOwnId(entry, renaming) : entry, scope);
        if (isDerived) names.set(entry.id, prepared.entry.id);
        const [oldest = ""] = names.size > MAX_NAMES ? names.keys() : [];
        names.delete(oldest);
        known.set(entry, prepared);
        return prepared;
      });
    },
    note: (given, kept) => {
      for (const [index, entry] of given.entries()) {
        known.set(entry, { entry: kept[index] ?? entry, given: entry, isKept: true });
      }
    },
  };
}

interface Renaming {
  readonly sources: EntrySources;
  /** Own ids of entries by derived id, the newest for each, and of messages of this call. */
  readonly names: ReadonlyMap<string, string>;
  readonly messages: Map<string, string>;
}

function withOwnId(entry: HistoryEntry, { sources, names, messages }: Renaming): HistoryEntry {
  const id = newName(sources);
  const { derivedId: _, ...origin } = entry.origin ?? { format: "", message: "", index: 0 };
  const message = JSON.stringify([origin.format, origin.message]);
  // A message begins at its first entry: another one of the same name is another message.
  if (origin.index === 0 || !messages.has(message)) messages.set(message, id);
  const own = { ...entry, id, origin: { ...origin, message: messages.get(message) ?? id } };
  switch (own.type) {
    case "observation": {
      const { actionId, ...others } = own;
      const action = names.get(actionId ?? "");
      // A call that nobody gave here is found by its id.
      return action === undefined ? others : { ...own, actionId: action };
    }
    case "attachment":
      return { ...own, messageId: names.get(own.messageId) ?? own.messageId };
    default:
      return own;
  }
}

/** Fills in what the caller left out. Of an entry of another turn, phase and task are not the scope's. */
function fillScope(entry: HistoryEntry, scope: Scope): GivenEntry {
  const { agent } = scope;
  const isElsewhere = entry.turnId !== undefined && entry.turnId !== scope.turnId;
  const here: Scope = isElsewhere ? { ...(agent && { agent }) } : scope;
  const filled = fieldsInScope(here, entry.type, entry);
  const isTask = filled.type === "task" && filled.from === undefined && agent !== undefined;
  return { entry: isTask ? { ...filled, from: agent } : filled, given: entry, isKept: false };
}
