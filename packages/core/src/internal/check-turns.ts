import { findQuestion, isOwnTask } from "../find-question.ts";
import { membersOf } from "../group-exchanges.ts";
import type { HistoryEntry } from "../history-entry.ts";
import { messageRole } from "../message-role.ts";
import { sameJson } from "../same-json.ts";
import { splitTurns } from "../split-turns.ts";
import type { AddViolation, Compared } from "./compared.ts";

/** Finds violations of L15 and L16: whole turns, the order of roles, the newest entry. */
export function checkTurns(compared: Compared): void {
  const { before, kept, groups, viewer, add } = compared;
  const lost = new Set<HistoryEntry>();
  const exempt = new Set<HistoryEntry>();
  for (const group of groups) {
    const members = membersOf(group);
    const [first] = members;
    if (group.kind === "single" && first?.type === "observation") lost.add(first);
    const isAlone = members.some(({ pinned, type }) => pinned === true || ASIDE.has(type));
    if (isAlone || (group.kind === "exchange" && group.running))
      for (const one of members) exempt.add(one);
  }
  const newest = before.findLast((entry) => !lost.has(entry));
  checkNewest(kept, newest, add);
  if (before.every((entry) => kept.has(entry.id) || lost.has(entry))) return;
  const question = findQuestion(before, viewer);
  const turns = splitTurns(before, { viewer });
  // In the turn being answered, only the question must stay if room is short.
  const open = turns.find((turn) => question && turn.entries.includes(question)) ?? turns.at(-1);
  const now = new Set(open?.entries);
  const isSaid = before.some(({ type }) => type === "user_message");
  const running = groups.flatMap((group) =>
    group.kind === "exchange" && group.running ? group.entries : [],
  );
  const unsettled = new Set([newest, ...running]);
  for (const turn of turns) {
    const isOver = turn !== open && !turn.entries.some((entry) => unsettled.has(entry));
    if (isOver) checkTurn(turn.entries, { ...compared, exempt, isSaid });
  }
  const own = groups.find((group) => membersOf(group).some((entry) => entry === newest));
  const first = own?.kind === "exchange" ? own.action : newest;
  checkRoles({ ...compared, exempt, now, first });
}

/** Types that belong to no turn. */
const ASIDE: ReadonlySet<string> = new Set(["system_message", "summary", "memory"]);

function isAside({ type }: HistoryEntry): boolean {
  return ASIDE.has(type);
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

function checkNewest(
  kept: ReadonlyMap<string, HistoryEntry>,
  newest: HistoryEntry | undefined,
  add: AddViolation,
): void {
  if (newest === undefined) return;
  const left = kept.get(newest.id);
  if (left === undefined) add("L16", "newest-lost", newest.id, "The newest entry was dropped.");
  else if (!SHORTENED.has(newest.type) && !sameJson(left, newest)) {
    add("L16", "newest-changed", newest.id, "The newest entry was changed.");
  }
}

interface Facts extends Compared {
  /** Entries that belong to no turn, with their exchanges. */
  readonly exempt: ReadonlySet<HistoryEntry>;
}

/** A request and its turn's last answer stay or go together. */
function checkTurn(
  turn: readonly HistoryEntry[],
  {
    before,
    kept,
    exempt,
    isSaid,
    viewer,
    add,
  }: Facts & {
    /** The history has a user message: tasks begin no turn. */
    readonly isSaid: boolean;
  },
): void {
  const asked = turn.filter(({ type }) => type === "user_message");
  const tasks = turn.filter(({ type }) => type === "task");
  const own =
    viewer.agentId === undefined
      ? tasks.slice(0, 1)
      : tasks.filter((entry) => isOwnTask(entry, viewer));
  const requests = isSaid ? asked : own;
  const [first] = requests;
  const answer = turn
    .slice(first === undefined ? 0 : turn.indexOf(first))
    .findLast((entry) => ANSWERS.has(entry.type) && messageRole(entry, viewer) === "assistant");
  if (first === undefined || answer === undefined) return;
  if (exempt.has(answer) || requests.some((entry) => exempt.has(entry))) return;
  const left = requests.filter(({ id }) => kept.has(id)).length;
  // A request may stay without its answer if it leads to a pinned entry of its turn and the answer has no room.
  const isLead = (entry: HistoryEntry): boolean =>
    exempt.has(entry) && !isAside(entry) && kept.has(entry.id);
  const isWithout = left > 0 && !kept.has(answer.id) && !turn.some(isLead);
  if (isWithout && !before.slice(before.indexOf(first), before.indexOf(answer)).some(isLead)) {
    add("L15", "request-without-answer", first.id, "The answer to this request was dropped.");
  }
  if (left < requests.length && kept.has(answer.id)) {
    add("L15", "answer-without-request", answer.id, "The request for this answer was dropped.");
  }
}

const ANSWERS: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis"]);

/** The first message is a user's, and two messages of one role are adjacent only if they were before. */
function checkRoles({
  entries,
  before,
  exempt,
  now,
  first,
  viewer,
  add,
}: Facts & {
  /** The turn being answered. */
  readonly now: ReadonlySet<HistoryEntry>;
  /** The newest entry or its action: if no request precedes it, a prompt may begin with it. */
  readonly first: HistoryEntry | undefined;
}): void {
  let role: string | undefined;
  let changes = 0;
  let hasRequest = false;
  /** The role of each entry, and how often the role had changed before it. */
  const told = new Map<
    string,
    {
      readonly role: string;
      readonly changes: number;
      readonly isAlone: boolean;
      readonly isNow: boolean;
      readonly isFirst: boolean;
    }
  >();
  for (const entry of before) {
    hasRequest ||= entry.type === "user_message";
    const own = messageRole(entry, viewer);
    if (own === "system") continue;
    if (own !== role) changes += 1;
    role = own;
    told.set(entry.id, {
      role,
      changes,
      isAlone: exempt.has(entry),
      isNow: now.has(entry),
      isFirst: !hasRequest && entry === first,
    });
  }
  const shown = entries.filter((entry) => messageRole(entry, viewer) !== "system");
  let last = shown[0] && told.get(shown[0].id);
  const begins = last === undefined || last.role === "user" || last.isAlone || last.isFirst;
  if (hasRequest && !begins) {
    add("L15", "begins-with-answer", shown[0]?.id ?? "", "The first message is not the user's.");
  }
  for (const { id } of shown.slice(1)) {
    const next = told.get(id);
    const isRow = next !== undefined && last?.role === next.role && next.role !== "tool";
    if (
      isRow &&
      last?.changes !== next.changes &&
      !last?.isAlone &&
      !next.isAlone &&
      !last?.isNow
    ) {
      add("L15", "role-repeated", id, "The entries before this one were dropped.");
    }
    last = next;
  }
}
