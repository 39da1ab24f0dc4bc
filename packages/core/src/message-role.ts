import { OPAQUE, isEntryType } from "./entry-types.ts";
import type { HistoryEntry } from "./history-entry.ts";

/** The role of an entry in a model's prompt. */
export type MessageRole = "system" | "user" | "assistant" | "tool";

/** Whose prompt is built. Without an agent: a program that is not an agent of the thread. */
export interface Viewer {
  readonly agentId?: string;
}

/**
 * Returns the role of an entry for a viewer. Formats and counters share this table.
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
 * | a custom type | user | user |
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
  // Called for each entry in each fit, so it allocates no closure.
  try {
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
        return entry.agent === undefined || entry.agent.id === viewer.agentId
          ? "assistant"
          : "user";
      default:
        return "user";
    }
  } catch {
    // An unreadable entry gets no authority.
    return "user";
  }
}

/**
 * Returns whether a model is shown an entry. `opaque` entries and custom entries without content are not shown: formats leave them out, and
 * counters count nothing for them.
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
