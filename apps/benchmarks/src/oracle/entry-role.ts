import type { HistoryEntry } from "@agent-history/core";

/** The role that an entry has in a prompt. */
export type Role = "system" | "user" | "assistant" | "tool";

const OF_AGENTS = new Set(["synthesis", "final", "strategic_plan", "delegation"]);

/** Tells the role of an entry for a viewer, written from the design and without core's own table: this is a second opinion. */
export function roleOf(entry: HistoryEntry, viewerId: string | undefined): Role {
  const { type } = entry;
  if (type === "system_message") return "system";
  if (type === "observation") return "tool";
  if (type === "assistant_message" || type === "action") return "assistant";
  if (type === "summary" || type === "memory") return entry.trust === "system" ? "system" : "user";
  if (type === "task") return isGivenBy(entry, viewerId) ? "assistant" : "user";
  if (!OF_AGENTS.has(type)) return "user";
  return entry.agent === undefined || entry.agent.id === viewerId ? "assistant" : "user";
}

/** Tells whether a task was given by an agent, which then reads it as its own words. */
function isGivenBy(entry: HistoryEntry, viewerId: string | undefined): boolean {
  return entry.type === "task" && viewerId !== undefined && entry.from?.id === viewerId;
}

/** What is put into a view from elsewhere, and belongs to no turn. */
export function isDerived({ type }: HistoryEntry): boolean {
  return type === "summary" || type === "memory";
}

/** System messages, and a provider's own compaction item. */
export function isInstruction(entry: HistoryEntry): boolean {
  return entry.type === "system_message" || (entry.type === "summary" && entry.view === undefined);
}
