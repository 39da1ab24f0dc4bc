import type { HistoryEntry, Trust } from "@agent-history/core";

/** Returns the trust of a summary: that of the least trusted of its sources, and never `system` by itself. */
export function leastTrust(entries: readonly HistoryEntry[]): Trust {
  return entries.some((entry) => trustOf(entry) === "tool") ? "tool" : "user";
}

function trustOf(entry: HistoryEntry): Trust {
  switch (entry.type) {
    case "summary":
      return entry.trust;
    case "memory":
      return entry.trust ?? "user";
    case "user_message":
    case "assistant_message":
    case "task":
      return "user";
    default:
      // What a tool said, and what agents and uploads say, who may quote one.
      return "tool";
  }
}
