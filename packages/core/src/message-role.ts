import type { Agent } from "./entry-base.ts";
import { isEntryType, OPAQUE } from "./entry-types.ts";
import type { HistoryEntry } from "./history-entry.ts";

/** What an entry reads as in a model's prompt. */
export type MessageRole = "system" | "user" | "assistant" | "tool";

/** Whose prompt is built; without an agent, that of a program that is not an agent in the thread. */
export interface Viewer {
  readonly agentId?: string;
}

/**
 * Tells what an entry reads as for a viewer: the one table by which formats render and counters count.
 *
 * | type | the viewer's own, or nobody's | another agent's |
 * |---|---|---|
 * | `system_message` | system | system |
 * | `user_message`, `attachment`, `error`, `global_observation` | user | user |
 * | `assistant_message`, `action` | assistant | assistant |
 * | `observation` | tool | tool |
 * | `task` | user; assistant to the agent that gave it | user; assistant to the agent that gave it |
 * | `synthesis`, `final`, `strategic_plan`, `delegation` | assistant | user |
 * | `summary`, `memory` | user; system where its trust is `system` | user; system where its trust is `system` |
 * | a type of the user's own | user | user |
 * | `opaque` | none: it is never rendered (`isRendered`) | none |
 *
 * @example
 * ```ts
 * import { final, messageRole } from "@agent-history/core";
 *
 * const report = final({ content: "Found it.", agent: { id: "w1", role: "worker" } });
 * messageRole(report, { agentId: "w1" });
 * // => "assistant"
 * messageRole(report, { agentId: "m1" });
 * // => "user"
 * ```
 */
export function messageRole(entry: HistoryEntry, viewer: Viewer = {}): MessageRole {
  // Asked of each entry by each fit: no function is made for it.
  try {
    return roleOf(entry, viewer);
  } catch {
    // What cannot be read has no authority.
    return "user";
  }
}

/**
 * Returns whether a model is shown an entry at all: not where it is `opaque`, or its type is one of the user's own and it has no content. Formats leave it out, and
 * counters count nothing.
 */
export function isRendered(entry: HistoryEntry): boolean {
  try {
    return entry.type !== OPAQUE && (isEntryType(entry.type) || hasContent(entry));
  } catch {
    return false;
  }
}

function hasContent({ content }: { readonly content?: unknown }): boolean {
  return typeof content === "string" || Array.isArray(content);
}

function roleOf(entry: HistoryEntry, viewer: Viewer): MessageRole {
  switch (entry.type) {
    case "system_message":
      return "system";
    case "observation":
      return "tool";
    case "assistant_message":
    case "action":
      return "assistant";
    case "task":
      return entry.from !== undefined && entry.from.id === viewer.agentId ? "assistant" : "user";
    case "summary":
    case "memory":
      return entry.trust === "system" ? "system" : "user";
    case "synthesis":
    case "final":
    case "strategic_plan":
    case "delegation":
      return isOwn(entry.agent, viewer) ? "assistant" : "user";
    default:
      return "user";
  }
}

function isOwn(agent: Agent | undefined, viewer: Viewer): boolean {
  return agent === undefined || agent.id === viewer.agentId;
}
