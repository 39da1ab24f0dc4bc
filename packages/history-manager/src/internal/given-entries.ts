import type { EntrySources, HistoryEntry } from "@agent-history/core";

import type { Scope } from "../scope.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { newName } from "./new-name.ts";
import { fieldsInScope } from "./scope-fields.ts";

/** An entry that a caller gave, as it is to be kept. */
export interface GivenEntry {
  readonly entry: HistoryEntry;
  readonly given: HistoryEntry;
  readonly isKept: boolean;
}

/** What is remembered of the entries that callers gave to one thread. */
export interface GivenEntries {
  readonly known: WeakMap<HistoryEntry, GivenEntry>;
  /** Own ids by derived id, the newest for each. */
  readonly names: Map<string, string>;
}

/** Of how many entries the derived ids are remembered, for results that come in a later call. */
const MAX_NAMES = 1000;

/**
 * Fills in the place, and gives entries whose ids a format derived ids of their own: then calls, results, attachments and the
 * entries of one message name each other by these. The same object once more gives the same entry: it is a retry.
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

/** Notes what was kept for each. */
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
  /** Own ids of the messages of this call. */
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
