import type { EntrySources, HistoryEntry } from "@agent-history/core";

import type { Scope } from "../history-manager.ts";
import { newName } from "./managed-thread.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { fieldsInScope } from "./scope-fields.ts";

/** A caller's entry, as it will be stored. */
export interface GivenEntry {
  readonly entry: HistoryEntry;
  readonly given: HistoryEntry;
  readonly isKept: boolean;
}

/** A cache of the entries that callers passed for one thread. */
export interface GivenEntries {
  readonly known: WeakMap<HistoryEntry, GivenEntry>;
  /** Unique ids by derived id, the newest of each. */
  readonly names: Map<string, string>;
}

/** Number of derived ids that are remembered, for results that arrive in a later call. */
const MAX_NAMES = 1000;

/**
 * Fills in scope fields, and replaces ids that a format derived by unique ones, also where calls, results, attachments and the
 * entries of one message refer to each other. The same object gives the same entry again: it is a retry.
 */
export function prepareGiven(
  { options: sources, given: { known, names } }: ManagedThread,
  given: readonly HistoryEntry[],
  scope: Scope,
): readonly GivenEntry[] {
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
}

/** Remembers what was stored for each. */
export function noteGiven(
  { given: { known } }: ManagedThread,
  given: readonly HistoryEntry[],
  kept: readonly HistoryEntry[],
): void {
  for (const [index, entry] of given.entries()) {
    known.set(entry, { entry: kept[index] ?? entry, given: entry, isKept: true });
  }
}

interface Renaming {
  readonly sources: EntrySources;
  readonly names: ReadonlyMap<string, string>;
  /** Unique ids of the messages of this call. */
  readonly messages: Map<string, string>;
}

function withOwnId(entry: HistoryEntry, { sources, names, messages }: Renaming): HistoryEntry {
  const id = newName(sources);
  const { derivedId: _, ...origin } = entry.origin ?? { format: "", message: "", index: 0 };
  const message = JSON.stringify([origin.format, origin.message]);
  // A first entry begins a message, even if another message has the same name.
  if (origin.index === 0 || !messages.has(message)) messages.set(message, id);
  const own = { ...entry, id, origin: { ...origin, message: messages.get(message) ?? id } };
  switch (own.type) {
    case "observation": {
      const { actionId, ...others } = own;
      const action = names.get(actionId ?? "");
      // Find a call that was not passed here by its id.
      return action === undefined ? others : { ...own, actionId: action };
    }
    case "attachment":
      return { ...own, messageId: names.get(own.messageId) ?? own.messageId };
    default:
      return own;
  }
}

/** Fills in missing fields. An entry of another turn does not take the scope's phase and task. */
function fillScope(entry: HistoryEntry, scope: Scope): GivenEntry {
  const { agent } = scope;
  const isElsewhere = entry.turnId !== undefined && entry.turnId !== scope.turnId;
  const here: Scope = isElsewhere ? { ...(agent && { agent }) } : scope;
  const filled = fieldsInScope(here, entry.type, entry);
  const isTask = filled.type === "task" && filled.from === undefined && agent !== undefined;
  return { entry: isTask ? { ...filled, from: agent } : filled, given: entry, isKept: false };
}
