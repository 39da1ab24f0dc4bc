import { contentText, messageRole } from "@agent-history/core";
import type { Content, HistoryEntry, Viewer } from "@agent-history/core";

import { onOneLine } from "./recall-quote.ts";
import { delegationIdOf } from "./scope-fields.ts";

/** What a user or an agent asks for: shown unchanged. */
const REQUESTS: ReadonlySet<string> = new Set(["user_message", "attachment", "task"]);

/** What gets a label. */
const REPORTS: ReadonlySet<string> = new Set(["final", "synthesis"]);

/** The field of `metadata` that holds a label while a prompt is fitted. It replaces one that was stored. */
const FIELD = "history-manager/label";

/**
 * Notes the labels of the reports and syntheses of other agents, which a model reads as user messages: the author, and the task or phase.
 * {@link writeReport} writes them, so that a report that is shortened keeps its label.
 */
export function noteReports(
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): readonly HistoryEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return entries.map((entry) => {
    if (!REPORTS.has(entry.type) || !isToldBy(entry, viewer)) return entry;
    return { ...entry, metadata: { ...entry.metadata, [FIELD]: labelOf(entry, byId) } };
  });
}

/**
 * Returns an entry as the model is shown it: a report below its label. The text of another agent cannot forge a label: what reads as one
 * gets a backslash. Depends on the entry and the viewer alone.
 */
export function writeReport(entry: HistoryEntry, viewer: Viewer): HistoryEntry {
  const { content } = entry;
  if (content === undefined || !isToldBy(entry, viewer)) return entry;
  const said = withoutLabels(content);
  const { [FIELD]: label, ...metadata } = entry.metadata ?? {};
  if (typeof label !== "string" || !REPORTS.has(entry.type))
    return said === content ? entry : { ...entry, content: said };
  const { metadata: _, ...rest } = entry;
  const shown =
    typeof said === "string"
      ? `${label}\n${said}`
      : [{ type: "text", text: `${label}\n` } as const, ...said];
  const kept = Object.keys(metadata).length === 0 ? {} : { metadata };
  return { ...rest, ...kept, content: shown };
}

/** Whether another agent wrote an entry that the viewer reads as a user message. */
function isToldBy(entry: HistoryEntry, viewer: Viewer): boolean {
  const { type, agent } = entry;
  const isOthers = agent?.id !== undefined && agent.id !== viewer.agentId;
  return isOthers && !REQUESTS.has(type) && messageRole(entry, viewer) === "user";
}

function labelOf(
  { type, agent, taskId, phaseId }: HistoryEntry,
  byId: ReadonlyMap<string, HistoryEntry>,
): string {
  const from = `from ${onOneLine(agent?.id ?? "")}`;
  if (type === "synthesis") {
    return `[Synthesis ${from}${phaseId === undefined ? "" : ` of phase ${onOneLine(`${phaseId}`)}`}]`;
  }
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
