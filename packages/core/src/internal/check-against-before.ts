import { findQuestion } from "../find-question.ts";
import { membersOf } from "../group-exchanges.ts";
import { sameJson } from "../same-json.ts";
import type { Compared } from "./compared.ts";

/** Finds violations of L2 and L3: order, system messages, the question and the running exchange. */
export function checkAgainstBefore({
  entries,
  before,
  kept: byId,
  groups,
  viewer,
  add,
}: Compared): void {
  checkOrder({ entries, groups, add });
  const question = findQuestion(before, viewer);
  for (const entry of before) {
    const { type, id } = entry;
    const kept = byId.get(id);
    // A provider's own compaction item survives as system messages do.
    const isFixed = type === "system_message" || (type === "summary" && entry.view === undefined);
    if ((!isFixed && entry !== question) || sameJson(kept, entry)) continue;
    const isLost = kept === undefined;
    const message = `This entry was ${isLost ? "dropped" : "changed"}.`;
    if (entry === question) add("L3", isLost ? "question-lost" : "question-changed", id, message);
    else add("L2", isLost ? "system-message-lost" : "system-message-changed", id, message);
  }
  for (const group of groups) {
    if (group.kind === "single") continue;
    const { id: actionId } = group.action;
    const lost = group.rounds.filter(({ action }) => !byId.has(action.id));
    if (lost.length > 0 && lost.length < group.rounds.length) {
      add(
        "L1",
        "split-exchange",
        actionId,
        "A call was kept without the call that made it, or without a call that it made.",
      );
    }
    if (!group.running) continue;
    const isWhole = group.entries.every((entry) => {
      const kept = byId.get(entry.id);
      if (entry.type !== "action") return kept !== undefined;
      return kept?.type === "action" && sameJson(kept.toolCalls, entry.toolCalls);
    });
    if (!isWhole) add("L3", "running-exchange-lost", actionId, "The running exchange was cut.");
  }
}

/** The repair may move an exchange together, so all of it counts at its first action's position. If several entries have one id, any may be the kept one. */
function checkOrder({ entries, groups, add }: Pick<Compared, "entries" | "groups" | "add">): void {
  /** Indexes of each id, in reverse order. */
  const indexes = new Map<string, number[]>();
  for (const [index, group] of [...groups.entries()].toReversed()) {
    for (const { id } of membersOf(group)) {
      const known = indexes.get(id);
      if (known === undefined) indexes.set(id, [index]);
      else known.push(index);
    }
  }
  let last = -1;
  for (const { id } of entries) {
    const known = indexes.get(id) ?? [];
    while (known.length > 1 && (known.at(-1) ?? last) < last) known.pop();
    const entryIndex = known.at(-1) ?? last;
    if (entryIndex < last)
      add("L2", "order-changed", id, "This entry was moved behind entries that it preceded.");
    last = Math.max(last, entryIndex);
  }
}
