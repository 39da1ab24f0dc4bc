import { contentText } from "@agent-history/core";
import type { Agent, HistoryEntry, JsonValue } from "@agent-history/core";
import { conversationMemory, isJsonObject } from "@agent-history/format-kit";

/** The known authors of a conversation, up to its last call. */
interface Authors {
  readonly byEntry: ReadonlyMap<string, Agent>;
  /** The agent that made the last call. */
  readonly running: Agent;
  readonly last: string | undefined;
}

/** The entries of a call, and its agent. */
interface RunningCall {
  readonly entries: readonly HistoryEntry[];
  readonly running: Agent;
  readonly agentNamed: (name: string) => Agent;
}

/**
 * Returns a function that infers who wrote each entry of a call, because items do not contain it. Entries since the last call of a conversation belong to the agent
 * that made it; of entries by another process, those after a handoff belong to the agent that it names. User messages and all others have no author.
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
      // After a user message, only the run knows which agent answers.
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

/** Returns the agent that a handoff's result names: `{"assistant":"Travel"}` of `transfer_to_…`, as the SDK writes it. */
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
