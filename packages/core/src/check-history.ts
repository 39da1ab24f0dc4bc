import { groupExchanges } from "./group-exchanges.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { HistoryError } from "./history-error.ts";
import { checkAgainstBefore } from "./internal/check-against-before.ts";
import { checkTurns } from "./internal/check-turns.ts";
import type { AddViolation } from "./internal/compared.ts";
import type { Viewer } from "./message-role.ts";
import { overReadable } from "./over-readable.ts";
import type { Source } from "./trace-entries.ts";
import type { Violation } from "./violation.ts";

export type { Violation, ViolationRule } from "./violation.ts";

/**
 * Finds every violation of pairing (L1) and numbers (L6) and, against `before`, of order (L2), the question (L3), whole turns (L15) and the
 * newest entry (L16).
 * Use it in your tests on what you send to a model. Linear.
 *
 * @param entries - The entries of one model call.
 * @param options - `before`: the history that it was made from; `viewer`: whose prompt it is, which determines the roles of entries.
 * @returns An empty array for a valid history.
 * @throws `HistoryError` with code `INVALID_OPTION` if `before` is not an array.
 *
 * @example
 * ```ts
 * import { observation } from "@agent-history/core";
 * import { checkHistory } from "@agent-history/core/check";
 *
 * const history = [
 *   observation({ id: "o1", callId: "c1", toolName: "search", outcome: "success", content: "" }),
 * ];
 * checkHistory(history).map(({ law, rule, entryId }) => `${law} ${rule} at ${entryId}`);
 * // => ["L1 orphan-result at o1"]
 * ```
 */
export function checkHistory(
  entries: readonly HistoryEntry[],
  options: { readonly before?: readonly HistoryEntry[]; readonly viewer?: Viewer } = {},
): readonly Violation[] {
  const { before = [], viewer = {} } = options;
  if (!Array.isArray(before)) {
    throw new HistoryError("Expected `before` to be an array of entries.", {
      code: "INVALID_OPTION",
      details: { option: "before" },
    });
  }
  return overReadable(before, (past) =>
    overReadable(entries, (now) => violations(now, past, viewer)),
  );
}

function violations(
  entries: readonly HistoryEntry[],
  before: readonly HistoryEntry[],
  viewer: Viewer,
): readonly Violation[] {
  const found: Violation[] = [];
  const add: AddViolation = (law, rule, entryId, message) => {
    found.push({ law, rule, entryId, message });
  };
  const kept = new Map(entries.map((entry) => [entry.id, entry]));
  const compared = { entries, before, kept, groups: groupExchanges(before), viewer, add };
  checkPairing(entries, add);
  checkNumbers(entries, before, add);
  checkAgainstBefore(compared);
  checkTurns(compared);
  return found;
}

/** Finds violations of L6: a citation number means one source permanently, compared with `before` too. */
function checkNumbers(
  entries: readonly HistoryEntry[],
  before: readonly HistoryEntry[],
  add: AddViolation,
): void {
  const given = new Map<number, Set<string>>();
  for (const { number, id } of before.flatMap(sourcesOf)) {
    given.set(number, (given.get(number) ?? new Set()).add(id));
  }
  const seen = new Map<number, string>();
  for (const entry of entries) {
    for (const { number, id } of sourcesOf(entry)) {
      const isReused = (seen.get(number) ?? id) !== id;
      if (!seen.has(number)) seen.set(number, id);
      if (!isReused && given.get(number)?.has(id) !== false) continue;
      const rule = isReused ? "number-reused" : "number-changed";
      add("L6", rule, entry.id, `Citation number ${number} is used for more than one source.`);
    }
  }
}

function sourcesOf(entry: HistoryEntry): readonly Source[] {
  return ("sources" in entry && entry.sources) || [];
}

/** Finds violations of L1: every result directly after its action, every call answered, every id used once. */
function checkPairing(entries: readonly HistoryEntry[], add: AddViolation): void {
  const ids = new Set<string>();
  for (const { id } of entries) {
    if (ids.has(id)) add("L1", "duplicate-id", id, "Two entries have this id.");
    ids.add(id);
  }
  const indexes = new Map(entries.map((entry, index) => [entry, index]));
  for (const group of groupExchanges(entries)) {
    if (group.kind === "single") {
      const { type, id } = group.entry;
      if (type === "observation")
        add("L1", "orphan-result", id, "This result has no open call before it.");
      continue;
    }
    for (const {
      action: { id, toolCalls },
      lost,
    } of group.rounds) {
      if (toolCalls.some((call) => call.id === "")) {
        add("L1", "missing-call-id", id, "A call has no id.");
      }
      if (lost.length > 0) {
        add(
          "L1",
          "unanswered-call",
          id,
          `${lost.length === 1 ? "A call has" : `${lost.length} calls have`} no result.`,
        );
      }
    }
    const start = indexes.get(group.action) ?? 0;
    const stray = group.entries.find((entry, offset) => indexes.get(entry) !== start + offset);
    if (stray !== undefined) {
      add("L1", "scattered-exchange", stray.id, "This result does not directly follow its action.");
    }
  }
}
