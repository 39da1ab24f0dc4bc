import type { HistoryEntry } from "@agent-history/core";

/** What stands above a message that is neither the user's words nor the answer to them. */
export const HEADINGS = {
  task: "# Task",
  final: "# Report",
  synthesis: "# Synthesis",
  strategic_plan: "# Plan",
  delegation: "# Handed on",
  global_observation: "# Note to all",
  error: "# Error",
  summary: "# Summary of what came before",
  memory: "# Memory",
  attachment: "# Attachment",
} as const;

/** Returns the heading of an entry, with who wrote it or what it is about; none for what speaks for itself. */
export function messageHeading(entry: HistoryEntry): string | undefined {
  switch (entry.type) {
    case "system_message":
    case "user_message":
    case "assistant_message":
    case "action":
    case "observation":
    case "opaque":
      return undefined;
    case "task":
      return `${HEADINGS.task} for ${entry.agent.id}`;
    case "synthesis":
      return `${HEADINGS.synthesis} of phase ${entry.phaseId ?? "?"}`;
    case "final":
      return `${HEADINGS.final} of ${entry.agent?.id ?? "nobody"}`;
    case "delegation":
      return `${HEADINGS.delegation} to ${entry.to?.id ?? "nobody"}`;
    case "strategic_plan":
    case "global_observation":
    case "error":
    case "summary":
    case "memory":
    case "attachment":
      return HEADINGS[entry.type];
  }
}
