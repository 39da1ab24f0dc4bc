import { contentText, messageRole } from "@agent-history/core";
import type { Content, HistoryEntry, Viewer } from "@agent-history/core";

import { onOneLine } from "./recall-quote.ts";
import { delegationIdOf } from "./scope-fields.ts";

/** What a user or an agent asks for: shown unchanged. */
const REQUESTS: ReadonlySet<string> = new Set(["user_message", "attachment", "task"]);

/**
 * Labels the reports and syntheses of other agents, which a model reads as user messages, with their author and their task or phase.
 * The text of another agent cannot forge a label: what reads as one gets a backslash.
 */
export function nameReports(
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): readonly HistoryEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return entries.map((entry) => {
    const { type, agent, content } = entry;
    const isOthers = agent?.id !== undefined && agent.id !== viewer.agentId;
    if (!isOthers || content === undefined || REQUESTS.has(type)) return entry;
    if (messageRole(entry, viewer) !== "user") return entry;
    const label = labelOf(entry, byId);
    const said = withoutLabels(content);
    if (label === "") return said === content ? entry : { ...entry, content: said };
    if (typeof said === "string") return { ...entry, content: `${label}\n${said}` };
    return { ...entry, content: [{ type: "text", text: `${label}\n` }, ...said] };
  });
}

function labelOf(
  { type, agent, taskId, phaseId }: HistoryEntry,
  byId: ReadonlyMap<string, HistoryEntry>,
): string {
  const from = `from ${onOneLine(agent?.id ?? "")}`;
  if (type === "synthesis") {
    return `[Synthesis ${from}${phaseId === undefined ? "" : ` of phase ${onOneLine(`${phaseId}`)}`}]`;
  }
  if (type !== "final") return "";
  if (taskId === undefined) return `[Report ${from}]`;
  const given = byId.get(taskId) ?? byId.get(delegationIdOf(taskId));
  const asked = onOneLine(contentText(given?.content));
  return `[Report ${from} on task ${onOneLine(taskId)}${asked === "" ? "" : `: ${asked}`}]`;
}

function withoutLabels(content: Content): Content {
  if (typeof content === "string") return content.replace(BRACKETED, escapeLabel);
  return content.map((part) => {
    if (part.type !== "text") return part;
    // What a part leaves open, the next may continue.
    return { ...part, text: part.text.replace(BRACKETED, escapeLabel).replace(LEFT_OPEN, "\\$&") };
  });
}

/** A square bracket, also a wide or a vertical one, and what it may open. */
const BRACKETED = /[[\uFE47\uFF3B][^[\]\uFE47\uFE48\uFF3B\uFF3D]*/gu;
const LEFT_OPEN = new RegExp(`${BRACKETED.source}$`, "u");
const LABEL = /^(?:report|synthesis)from/iu;

/** Escapes a text that reads as a label, whatever else stands between its letters. */
function escapeLabel(text: string): string {
  return LABEL.test(text.normalize("NFKD").replace(/\P{L}/gu, "")) ? `\\${text}` : text;
}
