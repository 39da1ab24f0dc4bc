import { groupExchanges, membersOf } from "./group-exchanges.ts";
import type { HistoryEntry, Source } from "./history-entry.ts";
import { HistoryError } from "./history-error.ts";
import { messageRole } from "./message-role.ts";
import type { Viewer } from "./message-role.ts";
import { overReadable } from "./over-readable.ts";
import { sameJson } from "./same-json.ts";
import { findQuestion, isOwnTask, isUserMessage, splitTurns } from "./split-turns.ts";

/** One law broken at one entry. */
export interface Violation {
  /** The law of the design: pairing, order, the question, numbers, whole turns, the newest entry. */
  readonly law: "L1" | "L2" | "L3" | "L6" | "L15" | "L16";
  /** What of it was broken. */
  readonly rule: ViolationRule;
  /** Where. */
  readonly entryId: string;
  /** A sentence for a person, without text of the conversation. */
  readonly message: string;
}

/** What can be broken: the rules of each law. */
export type ViolationRule = keyof typeof RULES;

const RULES = {
  "duplicate-id": ["L1", "Two entries have this id."],
  "missing-call-id": ["L1", "A call has no id."],
  "orphan-result": ["L1", "This result has no open call before it."],
  "unanswered-call": ["L1", "A call of this action has no result."],
  "scattered-exchange": ["L1", "This result does not directly follow its action."],
  "split-exchange": [
    "L1",
    "A call was kept without the call that made it, or without a call that it made.",
  ],
  "order-changed": ["L2", "This entry was moved behind entries that it preceded."],
  "system-message-lost": ["L2", "This entry was dropped."],
  "system-message-changed": ["L2", "This entry was changed."],
  "question-lost": ["L3", "This entry was dropped."],
  "question-changed": ["L3", "This entry was changed."],
  "running-exchange-lost": ["L3", "The running exchange was cut."],
  "number-reused": ["L6", "A citation number of this entry is used for more than one source."],
  "number-changed": ["L6", "A citation number of this entry was used for another source before."],
  "request-without-answer": ["L15", "The answer to this request was dropped."],
  "answer-without-request": ["L15", "The request for this answer was dropped."],
  "begins-with-answer": ["L15", "The first message is not the user's."],
  "role-repeated": ["L15", "The entries before this one were dropped."],
  "newest-lost": ["L16", "The newest entry was dropped."],
  "newest-changed": ["L16", "The newest entry was changed."],
} as const;

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
  const compared = comparisonOf(entries, before, viewer, (rule, entryId) => {
    const [law, message] = RULES[rule];
    found.push({ law, rule, entryId, message });
  });
  checkPairing(compared);
  checkNumbers(compared);
  checkOrder(compared);
  checkFixed(compared);
  checkExchanges(compared);
  checkNewest(compared);
  if (!before.every((entry) => compared.kept.has(entry.id) || compared.orphans.has(entry)))
    checkTurns(compared);
  return found;
}

type Compared = ReturnType<typeof comparisonOf>;

/** Compares a prompt with the history that it was made from. */
function comparisonOf(
  entries: readonly HistoryEntry[],
  before: readonly HistoryEntry[],
  viewer: Viewer,
  add: (rule: ViolationRule, entryId: string) => void,
) {
  const groups = groupExchanges(before);
  const isRunning = (group: Group): boolean => group.kind === "exchange" && group.running;
  const running = groups.filter(isRunning).flatMap(membersOf);
  const pinned = groups.map(membersOf).filter((members) => members.some(({ pinned: is }) => is));
  const orphans = new Set(
    groups.flatMap((group) => (group.kind === "single" ? group.entry : [])).filter(isResult),
  );
  return {
    entries,
    before,
    viewer,
    add,
    groups,
    running,
    /** Results of the original history that answer no call. */
    orphans,
    /** The entries of the prompt by id. */
    kept: new Map(entries.map((entry) => [entry.id, entry])),
    /** Original entries that belong to no turn, with their exchanges, and what still runs. */
    exempt: new Set([...before.filter(isAside), ...running, ...pinned.flat()]),
    /** The newest original entry that is no orphan. */
    newest: before.findLast((entry) => !orphans.has(entry)),
  };
}

type Group = ReturnType<typeof groupExchanges>[number];

/** L1: every result directly after its action, every call answered, every id used once. */
function checkPairing({ entries, add }: Compared): void {
  const ids = new Set<string>();
  for (const { id } of entries) {
    if (ids.has(id)) add("duplicate-id", id);
    ids.add(id);
  }
  const indexes = new Map(entries.map((entry, index) => [entry, index]));
  for (const group of groupExchanges(entries)) {
    if (group.kind === "single") {
      if (isResult(group.entry)) add("orphan-result", group.entry.id);
      continue;
    }
    for (const { action, lost } of group.rounds) {
      if (action.toolCalls.some((call) => call.id === "")) add("missing-call-id", action.id);
      if (lost.length > 0) add("unanswered-call", action.id);
    }
    const start = indexes.get(group.action) ?? 0;
    const stray = group.entries.find((entry, offset) => indexes.get(entry) !== start + offset);
    if (stray !== undefined) add("scattered-exchange", stray.id);
  }
}

/** L6: a citation number means one source permanently, compared with the original history too. */
function checkNumbers({ entries, before, add }: Compared): void {
  const given = new Map<number, Set<string>>();
  for (const { number, id } of before.flatMap(sourcesOf)) {
    given.set(number, (given.get(number) ?? new Set()).add(id));
  }
  const seen = new Map<number, string>();
  for (const entry of entries) {
    for (const { number, id } of sourcesOf(entry)) {
      const isReused = (seen.get(number) ?? id) !== id;
      if (!seen.has(number)) seen.set(number, id);
      if (isReused) add("number-reused", entry.id);
      else if (given.get(number)?.has(id) === false) add("number-changed", entry.id);
    }
  }
}

function sourcesOf(entry: HistoryEntry): readonly Source[] {
  return ("sources" in entry && entry.sources) || [];
}

/** L2: the repair may move an exchange together, so all of it counts at its first action's position. If several entries have one id, any may be the kept one. */
function checkOrder({ entries, groups, add }: Compared): void {
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
    const index = known.at(-1) ?? last;
    if (index < last) add("order-changed", id);
    last = Math.max(last, index);
  }
}

/** L2 and L3: system messages, a provider's own compaction items and the question are in the prompt, unchanged. */
function checkFixed({ before, kept, viewer, add }: Compared): void {
  const question = findQuestion(before, viewer);
  for (const entry of before) {
    const { type, id } = entry;
    const isFixed = type === "system_message" || (type === "summary" && entry.view === undefined);
    if ((!isFixed && entry !== question) || sameJson(kept.get(id), entry)) continue;
    const subject = entry === question ? "question" : "system-message";
    add(kept.has(id) ? `${subject}-changed` : `${subject}-lost`, id);
  }
}

/** L1 and L3: nested calls stay or go together, and the running exchange stays. */
function checkExchanges({ groups, kept, add }: Compared): void {
  for (const group of groups) {
    if (group.kind === "single") continue;
    const lost = group.rounds.filter(({ action }) => !kept.has(action.id));
    if (lost.length > 0 && lost.length < group.rounds.length)
      add("split-exchange", group.action.id);
    if (!group.running) continue;
    const isWhole = group.entries.every((entry) => {
      const left = kept.get(entry.id);
      if (entry.type !== "action") return left !== undefined;
      return left?.type === "action" && sameJson(left.toolCalls, entry.toolCalls);
    });
    if (!isWhole) add("running-exchange-lost", group.action.id);
  }
}

/** L16: the newest entry is in the prompt; some types may be shortened. */
function checkNewest({ kept, newest, add }: Compared): void {
  if (newest === undefined) return;
  const left = kept.get(newest.id);
  if (left === undefined) add("newest-lost", newest.id);
  else if (!SHORTENED.has(newest.type) && !sameJson(left, newest)) add("newest-changed", newest.id);
}

/** L15: whole turns, and the order of roles. */
function checkTurns(compared: Compared): void {
  const { before, running, newest, viewer } = compared;
  const question = findQuestion(before, viewer);
  const turns = splitTurns(before, { viewer });
  const unsettled = new Set([newest, ...running]);
  // In the turn being answered, only the question must stay if room is short.
  const open = turns.find((turn) => question && turn.entries.includes(question)) ?? turns.at(-1);
  for (const turn of turns) {
    if (turn !== open && !turn.entries.some((entry) => unsettled.has(entry)))
      checkPair(turn.entries, compared);
  }
  checkRoles(new Set(open?.entries), compared);
}

/** A request and its turn's last answer stay or go together. */
function checkPair(turn: readonly HistoryEntry[], compared: Compared): void {
  const { before, kept, exempt, viewer, add } = compared;
  const requests = requestsOf(turn, compared);
  const [first] = requests;
  if (first === undefined) return;
  const answer = turn
    .slice(turn.indexOf(first))
    .findLast((entry) => ANSWERS.has(entry.type) && messageRole(entry, viewer) === "assistant");
  if (answer === undefined || [answer, ...requests].some((entry) => exempt.has(entry))) return;
  const left = requests.filter(({ id }) => kept.has(id)).length;
  // A request may stay without its answer if it leads to a pinned entry of its turn and the answer has no room.
  const isLead = (entry: HistoryEntry): boolean =>
    exempt.has(entry) && !isAside(entry) && kept.has(entry.id);
  const mayBeAlone = (): boolean =>
    turn.some(isLead) || before.slice(before.indexOf(first), before.indexOf(answer)).some(isLead);
  if (left > 0 && !kept.has(answer.id) && !mayBeAlone()) add("request-without-answer", first.id);
  if (left < requests.length && kept.has(answer.id)) add("answer-without-request", answer.id);
}

/** User messages; in a history without any, the viewer's own tasks, else the first task. */
function requestsOf(
  turn: readonly HistoryEntry[],
  { before, viewer }: Compared,
): readonly HistoryEntry[] {
  if (before.some(isUserMessage)) return turn.filter(isUserMessage);
  const tasks = turn.filter(({ type }) => type === "task");
  if (viewer.agentId === undefined) return tasks.slice(0, 1);
  return tasks.filter((entry) => isOwnTask(entry, viewer));
}

/**
 * The first message is a user's, and two messages of one role are adjacent only if they were before.
 *
 * @param now - The entries of the turn being answered.
 */
function checkRoles(
  now: ReadonlySet<HistoryEntry>,
  { entries, before, groups, exempt, newest, viewer, add }: Compared,
): void {
  /** The role of each entry, and how often the role had changed before it. */
  const places = new Map<string, { entry: HistoryEntry; role: string; changes: number }>();
  let role = "system";
  let changes = 0;
  for (const entry of before) {
    const own = messageRole(entry, viewer);
    if (own === "system") continue;
    if (own !== role) changes += 1;
    role = own;
    places.set(entry.id, { entry, role, changes });
  }
  const [first, ...others] = entries.filter((entry) => messageRole(entry, viewer) !== "system");
  let last = first && places.get(first.id);
  if (first && last && last.role !== "user" && !exempt.has(last.entry)) {
    // A prompt may begin with the newest entry or its action if no request precedes it.
    const own = groups.find((group) => membersOf(group).some((entry) => entry === newest));
    const isNewest = last.entry === (own?.kind === "exchange" ? own.action : newest);
    const request = before.findIndex(isUserMessage);
    if (request >= 0 && !(isNewest && before.indexOf(last.entry) < request))
      add("begins-with-answer", first.id);
  }
  for (const { id } of others) {
    const next = places.get(id);
    if (
      last?.role === next?.role &&
      last?.changes !== next?.changes &&
      next?.role !== "tool" &&
      ![last, next].some((one) => one && exempt.has(one.entry)) &&
      !(last && now.has(last.entry))
    ) {
      add("role-repeated", id);
    }
    last = next;
  }
}

function isResult({ type }: HistoryEntry): boolean {
  return type === "observation";
}

/** Types that belong to no turn. */
function isAside({ type }: HistoryEntry): boolean {
  return type === "system_message" || type === "summary" || type === "memory";
}

/** Types that may be shortened even as the newest entry. */
const SHORTENED: ReadonlySet<string> = new Set([
  "action",
  "assistant_message",
  "attachment",
  "final",
  "observation",
  "synthesis",
]);

const ANSWERS: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis"]);
