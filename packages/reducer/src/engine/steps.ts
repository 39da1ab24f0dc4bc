import { citedSources, contentText } from "@agent-history/core";
import type { EntryEdit, HistoryEntry, Source } from "@agent-history/core";

import { textOfEntry } from "../internal/text-of-entry.ts";
import type { StepName } from "../reduction-step.ts";
import { guessOfMedia } from "./limits.ts";
import { byWorth, drop, edit, headAndTail, LESS, setForm, shorten } from "./room.ts";
import type { Room } from "./room.ts";
import type { Member, Unit } from "./unit.ts";

/** Input of a step. */
export interface StepInput {
  readonly name: StepName;
  readonly room: Room;
  /** Oldest first. */
  readonly units: readonly Unit[];
  /** The step stops once at most this many tokens are used. */
  readonly goal: number;
}

/** The built-in steps, least destructive first. */
export const STEPS: Readonly<Record<StepName, (input: StepInput) => void>> = {
  "stub-old-media": (input) => {
    const media = membersOf(input.units.filter(isOld)).filter(({ entry }) => hasMedia(entry));
    editEach(input, media, "media of an earlier turn", () => ({ stubMedia: true }));
  },
  "reduce-old-sources": reduceOldSources,
  "shrink-old-results": (input) =>
    editEach(input, resultsOf(input, isOld), "a long result of an earlier turn", shortened),
  "clear-old-results": (input) =>
    editEach(input, resultsOf(input, isOld), "a result of an earlier turn", cleared),
  "share-uploads": (input) => {
    const { budget, uploads } = input.room.context;
    const used = tokensOf(input.units.filter(isUpload));
    const free = Math.max(budget - tokensOf(input.units) + used, budget * uploads.floor);
    const excess = used - Math.min(free, budget * uploads.ceiling);
    shortenBy(input, uploadsOf(input), { ...OF_UPLOADS, excess, reason: SHARE });
  },
  "shorten-old-messages": (input) => {
    const { budget, options } = input.room.context;
    const isLong = (unit: Unit): boolean =>
      isOld(unit) && (options.scorer === undefined || unit.tokens > budget);
    shortenMessages(input, input.units.filter(isLong), "a long message of an earlier turn");
  },
  "drop-old-messages": (input) => {
    const old = input.units.filter(isOld);
    const isScored = old.some(({ score }) => score !== undefined);
    let uploads: number;
    do {
      uploads = uploadsOf(input).length;
      if (isScored) dropByWorth(input, old);
      else dropInOrder(input, old, "of an earlier turn");
    } while (uploadsOf(input).length < uploads && giveFloor(input));
  },
  "shrink-this-turn": (input) => {
    const results = resultsOf(input, isOfNow);
    for (const change of [shortened, cleared])
      editEach(input, results, "a result that this turn has already read", change);
  },
  "drop-this-turn": (input) => {
    const now = input.units.filter(isOfNow);
    const answers = now.filter(({ entries: [first] }) => first && ANSWERS.has(first.type));
    shortenMessages(input, answers, "a long answer or report of this turn");
    dropInOrder(
      input,
      now.filter((unit) => !isUpload(unit)),
      "finished in this turn",
    );
  },
  "shrink-running-results": (input) => {
    for (const results of protectedResults(input)) {
      const excess = excessOf(input);
      shortenBy(input, results, { excess, least: 40, last: headAndTail(40), reason: LAST });
    }
  },
  "drop-uploads": (input) => {
    const excess = excessOf(input);
    shortenBy(input, uploadsOf(input), { ...OF_UPLOADS, excess, reason: LAST });
    dropInOrder(input, input.units.filter(isUpload), LAST);
  },
  "clear-running-results": (input) => {
    for (const results of protectedResults(input)) editEach(input, results, LAST, cleared);
  },
};

/** Steps that run only while the budget is exceeded, not on the way down to the low watermark. */
export const LAST_RESORTS: ReadonlySet<string> = new Set<StepName>([
  "shrink-running-results",
  "drop-uploads",
  "clear-running-results",
]);

/** Why a running result is shortened. */
export const LAST = "nothing older could be reduced";
/** Length of a shortened result, in UTF-16 code units. */
const SHORTENED_LENGTH = 1000;
/** Share of the budget that one message may use while room is short. Messages with at most `SHORT_MESSAGE` tokens are never too long. */
const MESSAGE_SHARE = 0.2;
const SHORT_MESSAGE = 100;

const ANSWERS: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis"]);
const MESSAGES: ReadonlySet<string> = new Set([...ANSWERS, "user_message", "task"]);

function excessOf({ room, goal }: StepInput): number {
  return room.total - goal;
}

function isOld({ isOfThisTurn, isProtected }: Unit): boolean {
  return !isOfThisTurn && !isProtected;
}

function isOfNow({ isOfThisTurn, isProtected }: Unit): boolean {
  return isOfThisTurn && !isProtected;
}

/** Returns whether a unit is an upload that may be shortened or dropped. */
function isUpload({ entries, isProtected }: Unit): boolean {
  return entries[0]?.type === "attachment" && !isProtected;
}

function hasMedia({ content }: { readonly content?: HistoryEntry["content"] }): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === "image" || type === "file");
}

function membersOf(units: readonly Unit[]): readonly Member[] {
  return units.flatMap(({ isDropped, members }) => (isDropped ? [] : members));
}

function resultsOf({ units }: StepInput, isOne: (unit: Unit) => boolean): readonly Member[] {
  return membersOf(units.filter(isOne)).filter(({ entry }) => entry.type === "observation");
}

/** Returns the results that may be shortened although their exchange is kept: those of finished exchanges, then of running ones. */
function protectedResults(input: StepInput): readonly (readonly Member[])[] {
  return [false, true].map((isRunning) =>
    resultsOf(input, (unit) => unit.isProtected && unit.isRunning === isRunning).filter(
      ({ entry }) => entry.pinned !== true,
    ),
  );
}

function tokensOf(units: readonly Unit[]): number {
  return units.reduce((sum, { tokens, isDropped }) => sum + (isDropped ? 0 : tokens), 0);
}

/** Applies edits to members, in order, until the goal is reached. */
function editEach(
  input: StepInput,
  members: readonly Member[],
  reason: string,
  editOf: (member: Member) => EntryEdit | undefined,
): void {
  for (const member of members) {
    if (excessOf(input) <= 0) return;
    const change = editOf(member);
    if (change !== undefined) edit(input.room, member, change, { step: input.name, reason });
  }
}

function shortened({ current }: Member): EntryEdit | undefined {
  const isShort = textOfEntry(current).length <= SHORTENED_LENGTH;
  return isShort ? undefined : headAndTail(SHORTENED_LENGTH);
}

function cleared(): EntryEdit {
  return { clear: true };
}

function sourcesOf(entry: HistoryEntry): readonly Source[] {
  return entry.type === "observation" ? (entry.sources ?? []) : [];
}

/** Drops sources of earlier turns until the goal is reached, least relevant first: those that no answer cites, then all but the best cited one of each result. */
function reduceOldSources(input: StepInput): void {
  const { room, units, name: step } = input;
  const all = resultsOf(input, isOld).flatMap((member) => {
    const sources = sourcesOf(member.current);
    const length = sources.reduce((sum, source) => sum + lengthOf(source), 1);
    return sources.map((source, rank) => {
      const tokens = (member.tokens * lengthOf(source)) / length;
      return { member, source, rank, tokens };
    });
  });
  if (all.length === 0) return;
  const cited = new Set(units.flatMap(({ entries }) => entries.flatMap(citationsOf)));
  const isCited = ({ source }: { readonly source: Source }): boolean => cited.has(source.number);
  const { question } = room.reading;
  const scores = room.context.score(
    question === undefined ? "" : textOfEntry(question),
    all.map(({ source }) => asEntry(source)),
  );
  const worth = new Map(all.map((one, nth) => [one, scores[nth] ?? 0]));
  let rest = all.toSorted(
    (one, other) =>
      Number(isCited(one)) - Number(isCited(other)) ||
      (worth.get(one) ?? 0) - (worth.get(other) ?? 0) ||
      other.rank - one.rank,
  );
  while (rest.length > 0 && excessOf(input) > 0) {
    let excess = excessOf(input);
    const end = rest.findIndex(({ tokens }) => (excess -= tokens) <= 0) + 1;
    const going = rest.slice(0, end > 0 ? end : rest.length);
    rest = rest.slice(going.length);
    const numbers = new Set(going.map(({ source }) => source.number));
    for (const [member, best] of new Map(going.map((one) => [one.member, one]))) {
      const left = sourcesOf(member.current).filter(({ number }) => !numbers.has(number));
      const kept = left.length === 0 && isCited(best) ? [best.source] : left;
      const reason = "sources of an earlier turn, the least relevant first";
      edit(room, member, { sources: kept.map(({ number }) => number) }, { step, reason });
    }
  }
}

function lengthOf({ title = "", text, uri = "" }: Source): number {
  return title.length + text.length + uri.length;
}

/** Converts a source into an entry for the scorer. */
function asEntry({ id, title = "", text }: Source): HistoryEntry {
  return { type: "global_observation", id, createdAtMs: 0, content: `${title}\n${text}` };
}

function citationsOf(entry: HistoryEntry): readonly number[] {
  const speaks = entry.type === "assistant_message" || entry.type === "final";
  return speaks ? citedSources(contentText(entry.content)) : [];
}

function uploadsOf({ units }: StepInput): readonly Member[] {
  return membersOf(units.filter(isUpload));
}

/** Gives uploads that were limited to their share what dropped ones had of the floor; returns whether there was any. */
function giveFloor(input: StepInput): boolean {
  const { room, units } = input;
  const { budget, uploads } = room.context;
  // Media that were removed stay so: they may exceed another limit of the window.
  const limited = uploadsOf(input).filter(
    ({ entry, edited }) => edited?.because.reason === SHARE && !hasMedia(entry),
  );
  const most = room.total + budget * uploads.floor - tokensOf(units.filter(isUpload));
  if (limited.length === 0 || most <= room.total) return false;
  for (const member of limited) setForm(room, member, undefined, member.whole);
  const excess = room.total - most;
  shortenBy({ ...input, name: "share-uploads" }, limited, { ...OF_UPLOADS, excess, reason: SHARE });
  return true;
}

const SHARE = "an upload that exceeds its share";
const OF_UPLOADS = { least: 60, last: { clear: true }, along: { stubMedia: true } } as const;

/** Shortens texts, the longest first. If fewer than `least` characters of each would be left, applies `last` to one after the other until enough is saved. */
function shortenBy(
  { room, name: step }: StepInput,
  members: readonly Member[],
  {
    excess,
    least,
    last,
    along,
    reason,
  }: {
    /** Tokens to save. */
    readonly excess: number;
    /** Minimum characters to keep of each text; if that is not possible, `last` is applied. */
    readonly least: number;
    readonly last: EntryEdit;
    /** Merged into each edit. */
    readonly along?: EntryEdit;
    readonly reason: string;
  },
): void {
  const used = members.reduce((sum, { tokens }) => sum + tokens, 0);
  if (excess <= 0 || used === 0) return;
  const because = { step, reason };
  const limits = { room: used - excess, leastCharacters: least, along, because };
  if (shorten(room, members, limits)) return;
  const goal = room.total - excess;
  for (const member of members) {
    if (room.total > goal) edit(room, member, { ...along, ...last }, because);
  }
}

/** Length of the marker that replaces removed text, in characters. */
const MARKER = 36;
/** How far a shortened message may exceed its share: it is not shortened again for so little. */
const SLACK = 1.1;

/** Shortens messages above a share of the budget, lowest score first: to that share, or to two, four, … times as much if that saves enough. */
function shortenMessages(input: StepInput, units: readonly Unit[], reason: string): void {
  const { room, name: step } = input;
  const most = Math.max(SHORT_MESSAGE, room.context.budget * MESSAGE_SHARE);
  const leastFirst = units.toSorted((one, other) => (one.score ?? 0) - (other.score ?? 0));
  for (const member of membersOf(leastFirst)) {
    const excess = excessOf(input);
    if (excess <= 0) return;
    // Its size is an estimate, which is lowered before a request is refused.
    if (guessOfMedia(member.current, room.context.options) > 0) continue;
    if (member.tokens <= most * SLACK || !MESSAGES.has(member.entry.type)) continue;
    // Use few sizes, so that a text is not cut differently at every call.
    const times = Math.max(1, (member.tokens - excess) / most);
    const aim = most * 2 ** Math.floor(Math.log2(times));
    const because = { step, reason };
    const { length } = textOfEntry(member.current);
    const characters = Math.floor((length * aim) / member.tokens) - MARKER;
    edit(room, member, headAndTail(Math.max(0, characters)), because);
    if (member.tokens > aim * SLACK) shorten(room, [member], { room: aim, because });
  }
}

/** Drops units until the goal is reached: those with `mayGoFirst`, without dependents before others, then the rest. */
function dropInOrder(input: StepInput, units: readonly Unit[], reason: string): void {
  const rankOf = ({ mayGoFirst, piece }: Unit): number =>
    mayGoFirst ? Math.min(1, piece.dependents.length) : 2;
  for (const rank of [0, 1, 2]) {
    for (const unit of units) {
      if (rankOf(unit) !== rank) continue;
      if (excessOf(input) <= 0) return;
      drop(input.room, unit, { step: input.name, reason });
    }
  }
}

/** Characters kept of a message that stays only for the rest of its turn; its approximate length with the marker; and its minimum size in tokens. */
const SHORT_LENGTH = 120;
const MARKED_LENGTH = SHORT_LENGTH + MARKER;
const SHORT_TOKENS = 40;

/** Drops units that are not chosen, lowest worth first; then shortens those that stay only for the rest of their turn; then drops more. */
function dropByWorth(input: StepInput, old: readonly Unit[]): void {
  const units = old.filter(({ isDropped }) => !isDropped);
  const { whole, short } = chooseByWorth(units, tokensOf(units) - excessOf(input));
  const leastFirst = byWorth(units).toReversed();
  for (const unit of leastFirst) {
    if (excessOf(input) <= 0) return;
    if (!whole.has(unit) && !short.has(unit)) drop(input.room, unit, LESS);
  }
  const messages = membersOf(leastFirst.filter((unit) => short.has(unit))).filter(({ entry }) =>
    MESSAGES.has(entry.type),
  );
  const reason = "a less relevant part of a turn";
  editEach(input, messages, reason, () => ({ text: { head: SHORT_LENGTH, tail: 0 } }));
  // Rate a turn by its best unit.
  const best = new Map<number, number>();
  for (const { turn, worth } of leastFirst) best.set(turn, worth);
  const turnsFirst = leastFirst.toSorted(
    (one, other) => (best.get(one.turn) ?? 0) - (best.get(other.turn) ?? 0),
  );
  for (const unit of turnsFirst) {
    if (excessOf(input) <= 0) return;
    drop(input.room, unit, LESS);
  }
}

/**
 * Chooses units by worth per length, best first. The request and answer of their turn are included, shortened, until they are chosen themselves.
 * Skips units that do not fit.
 */
function chooseByWorth(
  units: readonly Unit[],
  room: number,
): { readonly whole: ReadonlySet<Unit>; readonly short: ReadonlySet<Unit> } {
  const open = new Set(units);
  const whole = new Set<Unit>();
  const short = new Map<Unit, number>();
  let left = room;
  for (const unit of byWorth(units)) {
    const { piece } = unit;
    const turn = (piece.isCore ? [piece] : piece.needs).flatMap((one) => one.units);
    const others = turn.filter(
      (other) => other !== unit && open.has(other) && !whole.has(other) && !short.has(other),
    );
    const sizes = others.map(shortSize);
    const more = sizes.reduce((sum, size) => sum + size, unit.tokens - (short.get(unit) ?? 0));
    if (more > left) continue;
    left -= more;
    whole.add(unit);
    short.delete(unit);
    for (const [nth, other] of others.entries()) short.set(other, sizes[nth] ?? 0);
  }
  return { whole, short: new Set(short.keys()) };
}

function shortSize({ members }: Unit): number {
  return members.reduce((sum, { entry, current, tokens }) => {
    if (!MESSAGES.has(entry.type)) return sum + tokens;
    const share = MARKED_LENGTH / textOfEntry(current).length;
    return sum + Math.min(tokens, Math.max(SHORT_TOKENS, Math.ceil(tokens * share)));
  }, 0);
}
