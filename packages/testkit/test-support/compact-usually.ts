import type { HistoryEntry, HistoryView } from "@agent-history/core";
import { agentView, applyCompactions, findLastTask, isInView, summary } from "@agent-history/core";

import type { PlainThread } from "./arbitrary-thread.ts";
import type { FakeThread } from "./fake-store.ts";

/** Summaries where compressors put them: a prefix of the conversation and of the thread, an agent's trace in the running turn. */
export function compactUsually(thread: FakeThread, model: PlainThread): void {
  const newest = model.log.findLastIndex(({ type }) => type === "user_message");
  const task = findLastTask(model.log, "worker 1");
  const isBefore = (index: number): boolean => index < newest - 100;
  compact(thread, model, "conversation", (_, index) => isBefore(index));
  compact(thread, model, "thread", (_, index) => isBefore(index));
  compact(
    thread,
    model,
    agentView("worker 1"),
    ({ type }, index) => index !== task && index < model.log.length - 20 && type !== "final",
  );
  compact(
    thread,
    model,
    agentView("manager 1"),
    ({ type }, index) => index < newest && type !== "task",
  );
}

function compact(
  thread: FakeThread,
  model: PlainThread,
  view: HistoryView,
  isOld: (entry: HistoryEntry, index: number) => boolean,
): void {
  const indexes = new Map(model.log.map((entry, index) => [entry, index]));
  const covers: { from: string; to: string }[] = [];
  let isInRun = false;
  for (const entry of applyCompactions([...model.log, ...model.overlays], view)) {
    const entryIndex = indexes.get(entry);
    const isMember = entryIndex === undefined || isInView(entry, view);
    if (!isMember) continue;
    const isGiven =
      entryIndex === undefined || (entry.type !== "system_message" && isOld(entry, entryIndex));
    if (isGiven && isInRun) covers.push({ from: covers.pop()?.from ?? "", to: entry.id });
    else if (isGiven) covers.push({ from: entry.id, to: entry.id });
    isInRun = isGiven;
  }
  if (covers.length === 0) return;
  const id = `summary ${model.overlays.length}`;
  const overlay = summary({
    id,
    createdAtMs: 0,
    view,
    covers,
    strategy: "whole",
    trust: "tool",
    content: "",
  });
  thread.commit(view, overlay, covers);
  model.overlays.push(overlay);
}
