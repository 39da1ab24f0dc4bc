import { utf8Bytes } from "../utf8-bytes.ts";
import { packReferences } from "./reference.ts";
import type { Reference } from "./reference.ts";
import type { ThreadHead } from "./thread-head.ts";
import { BESIDE_MESSAGES, newTurnCursor, nextTurn } from "./turn-numbering.ts";
import { isMember, remainingOf } from "./view-outline.ts";
import type { Standing, ViewOutline } from "./view-outline.ts";
import type { GoneTasks, RemainingTurns, ShownSummary, ViewState } from "./view-state.ts";

/** Works out a view's state from all references. Linear. */
export function deriveViewState(outline: ViewOutline, head: ThreadHead): ViewState {
  const { references, summaries } = outline;
  const remaining = remainingOf(outline);
  const kept = new Set(remaining.filter((one) => typeof one === "number"));
  const gone = references.filter(({ position }) => !kept.has(position));
  const runs = runsOf(outline, kept);
  const end = runs.at(-1)?.[1] ?? -1;
  const rest = references.filter(({ position }) => position <= end && kept.has(position));
  const isOdd = summaries.some(
    ({ turnId, taskId, phaseId }) => (turnId ?? taskId ?? phaseId) !== undefined,
  );
  const turns = isOdd ? undefined : remainingTurns(remaining, references, head);
  const hasKept = outline.view === "thread" && rest.length <= MAX_KEPT;
  return {
    format: 1,
    count: summaries.length,
    version: head.version,
    runs,
    shown: shownOf(remaining),
    ...(turns === undefined ? {} : { turns }),
    isSplit: isSplit(references, kept, head),
    ...(hasBrokenPhases(gone, kept, head) ? { brokenPhases: head.turns.newest } : {}),
    goneTasks: goneTasks(gone),
    ...(hasKept ? { kept: packReferences(rest) } : {}),
  };
}

/** This many references at most are kept with the state. */
const MAX_KEPT = 256;
const MAX_GONE_TASKS = 64;

/** Stretches in which every member of the view is gone that a summary may stand for. */
function runsOf(
  { references, view }: ViewOutline,
  kept: ReadonlySet<number>,
): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  let isOpen = false;
  for (const reference of references) {
    const { position, type, isPinned } = reference;
    if (!kept.has(position)) {
      const last = runs.at(-1);
      if (isOpen && last !== undefined) last[1] = position;
      else runs.push([position, position]);
      isOpen = true;
    } else if (isMember(reference, view) && type !== "system_message" && !isPinned) isOpen = false;
  }
  return runs;
}

/** Places the summaries: each in the gap that it left, in order. */
function shownOf(remaining: readonly Standing[]): readonly ShownSummary[] {
  const shown: ShownSummary[] = [];
  let before = -1;
  for (const one of remaining) {
    before = typeof one === "number" ? one : before + 1;
    if (typeof one === "number") continue;
    const { id, agent } = one;
    const bytes = utf8Bytes(JSON.stringify(one));
    shown.push({ id, at: before, bytes, ...(agent === undefined ? {} : { agent: agent.id }) });
  }
  return shown;
}

/** Numbers what remains, and compares with the log: once both go on alike, they differ by one offset permanently. */
function remainingTurns(
  remaining: readonly Standing[],
  references: readonly Reference[],
  head: ThreadHead,
): RemainingTurns | undefined {
  const cursor = newTurnCursor();
  const numbers = new Map<string, number>();
  const inView = new Map<number, number>();
  let hasUsers = false;
  for (const one of remaining) {
    const reference = typeof one === "number" ? references[one] : undefined;
    const type = reference?.type ?? "summary";
    const turnId = reference?.isNamed === true ? String(reference.turn) : undefined;
    const known = turnId === undefined ? undefined : numbers.get(turnId);
    const entry = { type, ...(turnId === undefined ? {} : { turnId }) };
    const turn = nextTurn(entry, cursor, known, true);
    if (turnId !== undefined) numbers.set(turnId, turn);
    if (reference !== undefined) inView.set(reference.position, turn);
    hasUsers ||= type === "user_message";
  }
  const { newest, id, isBegun, isInRow } = head.turns;
  const goesOnAlike =
    (id === undefined ? cursor.id === undefined : cursor.id === String(newest)) &&
    isBegun === cursor.isBegun &&
    isInRow === cursor.isInRow;
  if (!head.hasUsers || !hasUsers || !goesOnAlike) return undefined;
  const offset = newest - cursor.newest;
  const strays = [...inView].filter(([at, turn]) => turn !== (references[at]?.turn ?? 0) - offset);
  const from = (strays.at(-1)?.[0] ?? -1) + 1;
  const loose = [...inView].filter(([at]) => at < from);
  const highest = (isAsked: (type: string) => boolean): number =>
    loose.reduce(
      (most, [at, turn]) => (isAsked(references[at]?.type ?? "") ? Math.max(most, turn) : most),
      -1,
    );
  return {
    from,
    offset,
    looseTurn: highest((type) => !BESIDE_MESSAGES.has(type)),
    looseTalk: highest((type) => type === "user_message" || type === "assistant_message"),
  };
}

/** An exchange is gone in part, or may be. */
function isSplit(
  references: readonly Reference[],
  kept: ReadonlySet<number>,
  { pairDoubt }: ThreadHead,
): boolean {
  return references.some(({ position, type, partner }) => {
    if (type !== "observation" && type !== "action") return false;
    if (position <= pairDoubt && !kept.has(position)) return true;
    return partner !== undefined && kept.has(position) !== kept.has(partner);
  });
}

function hasBrokenPhases(
  gone: readonly Reference[],
  kept: ReadonlySet<number>,
  { turns }: ThreadHead,
): boolean {
  return (
    turns.phases.some(([, position]) => !kept.has(position)) ||
    gone.some(({ type, position }) => type === "task" && position >= turns.start)
  );
}

/** The last tasks that are gone. */
function goneTasks(gone: readonly Reference[]): GoneTasks {
  const all = gone.filter(({ type }) => type === "task").map(({ position }) => position);
  const at = all.slice(-MAX_GONE_TASKS);
  return { at, from: all.length > at.length ? (at[0] ?? 0) : 0 };
}
