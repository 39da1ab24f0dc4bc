import type { EntryRun, HistoryEntry, HistoryView, SummaryEntry } from "@agent-history/core";
import { agentView, applyCompactions, isInView } from "@agent-history/core";

import { positionName } from "./reference-facts.ts";
import type { Reference } from "./reference.ts";

/** A thread in outline, as one view's summaries see it: entries without their texts. */
export interface ViewOutline {
  readonly view: HistoryView;
  /** Every entry of the log, by position. */
  readonly references: readonly Reference[];
  /** The view's summaries in the order they were committed. */
  readonly summaries: readonly SummaryEntry[];
  /** Positions of entries that summaries name. */
  readonly positions: ReadonlyMap<string, number>;
}

/** What stands in a view: the position of an entry, or a summary. */
export type Standing = number | SummaryEntry;

/** Shows what remains, in order: `applyCompactions` on the outline. */
export function remainingOf(outline: ViewOutline): readonly Standing[] {
  const { view, references } = outline;
  const locations = new Map<HistoryEntry, Standing>();
  const log = references.map((reference): HistoryEntry => {
    const entry = outlineOf(reference, view);
    locations.set(entry, reference.position);
    return entry;
  });
  const summaries = outline.summaries.map((summary): HistoryEntry => {
    const covers = (summary.covers ?? []).map((run) => runOf(run, outline));
    const entry = { ...summary, id: summaryName(summary.id), view, covers };
    locations.set(entry, summary);
    return entry;
  });
  const shown = applyCompactions([...log, ...summaries], view);
  return shown.flatMap((entry) => locations.get(entry) ?? []);
}

/** Returns whether an entry belongs to a view; of an agent's view the agent's stream must have told what is its own. */
export function isMember(reference: Reference, view: HistoryView): boolean {
  return isInView(outlineOf(reference, view), view);
}

function outlineOf(reference: Reference, view: HistoryView): HistoryEntry {
  const { position, type, isPinned, isOwn } = reference;
  const isTalk = type === "user_message" || type === "assistant_message" || type === "attachment";
  const other = isTalk ? "user_message" : "error";
  return {
    id: positionName(position),
    type: type === "system_message" ? type : other,
    createdAtMs: 0,
    content: "",
    pinned: isPinned,
    ...(isOwn ? { agent: { id: view.slice(AGENT.length), role: "worker" } } : {}),
  };
}

const AGENT = agentView("");

function runOf({ from, to }: EntryRun, outline: ViewOutline): EntryRun {
  return { from: nameOf(from, outline), to: nameOf(to, outline) };
}

function nameOf(id: string, { positions }: ViewOutline): string {
  const position = positions.get(id);
  return position === undefined ? summaryName(id) : positionName(position);
}

function summaryName(id: string): string {
  return `summary ${id}`;
}
