import { contentText } from "@agent-history/core";
import type { Agent, HistoryEntry, JsonValue } from "@agent-history/core";
import { conversationMemory, isJsonObject } from "@agent-history/format-kit";

/** What is known of a conversation since its last call. */
interface Authors {
  readonly byEntry: ReadonlyMap<string, Agent>;
  /** Who made the call, and the last entry that it was sent. */
  readonly running: Agent;
  readonly last: string | undefined;
}

/** The entries of a call, and who makes it. */
interface RunningCall {
  readonly entries: readonly HistoryEntry[];
  readonly running: Agent;
  readonly agentNamed: (name: string) => Agent;
}

/**
 * Returns a function that says who wrote each entry of a call. Items do not say it themselves: what came since the last call of a conversation is of the agent
 * that made it, and in what another process wrote, what stands behind a handoff is of the agent that it names. What a user wrote, and the rest, is of nobody.
 */
export function itemAuthors(): (call: RunningCall) => readonly (Agent | undefined)[] {
  const conversations = conversationMemory<Authors>();
  return ({ entries, running, agentNamed }) => {
    const before = conversations.find(entries);
    const byEntry = new Map<string, Agent>();
    let isNew = false;
    let handed: Agent | undefined;
    for (const entry of entries) {
      const { id, type } = entry;
      // Who answers a user, only the run knows.
      if (type === "user_message") handed = undefined;
      else {
        const author = before?.byEntry.get(id) ?? (isNew ? before?.running : handed);
        if (author !== undefined) byEntry.set(id, author);
        const name = handedTo(entry);
        if (name !== undefined) handed = agentNamed(name);
      }
      isNew ||= id === before?.last;
    }
    conversations.keep(entries, { byEntry, running, last: entries.at(-1)?.id });
    return entries.map(({ id }) => byEntry.get(id));
  };
}

/** The agent that a handoff names in its result: `{"assistant":"Travel"}` of `transfer_to_…`, as the SDK writes it. */
function handedTo(entry: HistoryEntry): string | undefined {
  if (entry.type !== "observation" || !entry.toolName.startsWith("transfer_to_")) return undefined;
  try {
    const said: JsonValue = JSON.parse(contentText(entry.content));
    return isJsonObject(said) && typeof said["assistant"] === "string"
      ? said["assistant"]
      : undefined;
  } catch {
    return undefined;
  }
}
