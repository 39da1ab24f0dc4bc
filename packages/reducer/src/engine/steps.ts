import { citedSources } from "@agent-history/core";
import type { EntryEdit, HistoryEntry, Source } from "@agent-history/core";

import { textOf, textOfEntry } from "../internal/text-of-entry.ts";
import type { StepName } from "../reduction-step.ts";
import { byWorth, drop, edit, headAndTail, LESS, shorten } from "./room.ts";
import type { Room } from "./room.ts";
import type { Member, Unit } from "./unit.ts";

/** What a step works on. */
export interface StepInput {
  readonly room: Room;
  /** Oldest first. */
  readonly units: readonly Unit[];
  /** The step stops once no more tokens are used than this. */
  readonly goal: number;
}

/** The built-in steps, least destructive first. */
export const STEPS: Readonly<Record<StepName, (input: StepInput) => void>> = {
  "stub-old-media": (input) => {
    const media = membersOf(input.units.filter(isOld)).filter(({ entry }) => hasMedia(entry));
    const because = { step: "stub-old-media", reason: "media of an earlier turn" };
    editEach(input, media, () => ({ stubMedia: true }), because);
  },
  "reduce-old-sources": reduceOldSources,
  "shrink-old-results": (input) => {
    const because = { step: "shrink-old-results", reason: "a long result of an earlier turn" };
    editEach(input, resultsOf(input.units.filter(isOld)), shortened, because);
  },
  "clear-old-results": (input) => {
    const because = { step: "clear-old-results", reason: "a result of an earlier turn" };
    editEach(input, resultsOf(input.units.filter(isOld)), () => ({ clear: true }), because);
  },
  "share-uploads": (input) => {
    const { room, units } = input;
    const { budget, uploads } = room.context;
    const shared = units.filter(isUpload);
    const used = tokensOf(shared);
    const others = tokensOf(units) - used;
    const share = Math.min(
      Math.max(budget - others, budget * uploads.floor),
      budget * uploads.ceiling,
    );
    const because = { step: "share-uploads", reason: "an upload beyond its share" };
    shortenUploads(room, shared, { excess: used - share, because });
  },
  "shorten-old-messages": (input) => {
    const { budget, options } = input.room.context;
    shortenMessages(
      input,
      input.units.filter(
        (unit) => isOld(unit) && (options.scorer === undefined || unit.tokens > budget),
      ),
      { step: "shorten-old-messages", reason: "a long message of an earlier turn" },
    );
  },
  "drop-old-messages": (input) => {
    const old = input.units.filter(isOld);
    if (old.some(({ score }) => score !== undefined)) dropByWorth(input, old);
    else dropInOrder(input, old, { step: "drop-old-messages", reason: "of an earlier turn" });
  },
  "shrink-this-turn": (input) => {
    const results = resultsOf(
      input.units.filter(({ isOfThisTurn, isProtected }) => isOfThisTurn && !isProtected),
    );
    const because = {
      step: "shrink-this-turn",
      reason: "a result that this turn has read already",
    };
    editEach(input, results, (member) => firstSources(member, 1), because);
    editEach(input, results, shortened, because);
    editEach(input, results, () => ({ clear: true }), because);
  },
  "drop-this-turn": (input) => {
    const now = input.units.filter(({ isOfThisTurn, isProtected }) => isOfThisTurn && !isProtected);
    shortenMessages(
      input,
      now.filter(({ entries: [first] }) => first !== undefined && ANSWERS.has(first.type)),
      { step: "drop-this-turn", reason: "a long answer or report of this turn" },
    );
    dropInOrder(
      input,
      now.filter((unit) => !isUpload(unit)),
      { step: "drop-this-turn", reason: "finished in this turn" },
    );
  },
  "shrink-running-results": (input) => {
    const because = { step: "shrink-running-results", reason: LAST };
    for (const results of protectedResults(input.units)) {
      loseSources(input, results, because);
      shortenBy(input.room, results, {
        ...openOf(input),
        least: 40,
        last: headAndTail(40),
        because,
      });
    }
  },
  "drop-uploads": (input) => {
    const because = { step: "drop-uploads", reason: LAST };
    const uploads = input.units.filter(isUpload);
    shortenUploads(input.room, uploads, { ...openOf(input), because });
    for (const unit of uploads) if (openOf(input).excess > 0) drop(input.room, unit, because);
  },
  "clear-running-results": (input) => {
    const because = { step: "clear-running-results", reason: LAST };
    for (const results of protectedResults(input.units)) {
      editEach(input, results, () => ({ clear: true }), because);
    }
  },
};

/** The steps that run only while the window is exceeded, not on the way down to the low watermark. */
export const LAST_RESORTS: ReadonlySet<string> = new Set<StepName>([
  "shrink-running-results",
  "drop-uploads",
  "clear-running-results",
]);

const LAST = "nothing older is left to give";
/** What stays of a long result, in UTF-16 code units. */
const SHORTENED_LENGTH = 1000;
/** The share of the budget that one message may have while room is short, and the tokens below which no message is long. */
const MESSAGE_SHARE = 0.2;
const SHORT_MESSAGE = 100;

const ANSWERS: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis"]);
const MESSAGES: ReadonlySet<string> = new Set([...ANSWERS, "user_message", "task"]);

function openOf({ room, goal }: StepInput): { readonly excess: number } {
  return { excess: room.total - goal };
}

function isOld({ isOfThisTurn, isProtected }: Unit): boolean {
  return !isOfThisTurn && !isProtected;
}

/** Returns whether a unit is an upload that may be shortened. */
function isUpload({ entries, isProtected }: Unit): boolean {
  return entries[0]?.type === "attachment" && !isProtected;
}

function hasMedia({ content }: { readonly content?: HistoryEntry["content"] }): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === "image" || type === "file");
}

function membersOf(units: readonly Unit[]): readonly Member[] {
  return units.flatMap(({ isDropped, members }) => (isDropped ? [] : members));
}

function resultsOf(units: readonly Unit[]): readonly Member[] {
  return membersOf(units).filter(({ entry }) => entry.type === "observation");
}

/** Returns the results that may be shortened though their exchange stays: of pinned exchanges, then of running ones. */
function protectedResults(units: readonly Unit[]): readonly (readonly Member[])[] {
  return [false, true].map((isRunning) =>
    resultsOf(units.filter((unit) => unit.isProtected && unit.isRunning === isRunning)).filter(
      ({ entry }) => entry.pinned !== true,
    ),
  );
}

function tokensOf(units: readonly Unit[]): number {
  return units.reduce((sum, { tokens, isDropped }) => sum + (isDropped ? 0 : tokens), 0);
}

type Reason = Parameters<typeof edit>[3];

/** Edits members, in order, until there is room. */
function editEach(
  input: StepInput,
  members: readonly Member[],
  editOf: (member: Member) => EntryEdit | undefined,
  because: Reason,
): void {
  for (const member of members) {
    if (openOf(input).excess <= 0) return;
    const change = editOf(member);
    if (change !== undefined) edit(input.room, member, change, because);
  }
}

function shortened({ current: { content } }: Member): EntryEdit | undefined {
  const isShort = typeof content === "string" && content.length <= SHORTENED_LENGTH;
  return isShort ? undefined : headAndTail(SHORTENED_LENGTH);
}

function sourcesOf(entry: HistoryEntry): readonly Source[] {
  return entry.type === "observation" ? (entry.sources ?? []) : [];
}

/** Keeps the first sources of a result, by rank. */
function firstSources({ current }: Member, count: number): EntryEdit | undefined {
  const sources = sourcesOf(current);
  if (sources.length <= count) return undefined;
  return { sources: sources.slice(0, count).map(({ number }) => number) };
}

/** Drops sources of earlier turns until there is room, the least relevant first: those that no answer cites, then all but one of each result. */
function reduceOldSources(input: StepInput): void {
  const { room, units } = input;
  const results = resultsOf(units.filter(isOld));
  const all = results.flatMap((member) => {
    const sources = sourcesOf(member.current);
    const length = sources.reduce((sum, source) => sum + lengthOf(source), 1);
    return sources.map((source, rank) => {
      return { member, source, rank, tokens: (member.tokens * lengthOf(source)) / length };
    });
  });
  if (all.length === 0) return;
  const cited = new Set(units.flatMap(({ entries }) => entries.flatMap(citationsOf)));
  const { question } = room.reading;
  const scores = room.context.score(
    question === undefined ? "" : textOfEntry(question),
    all.map(({ source }) => asEntry(source)),
  );
  const worth = new Map(all.map((one, nth) => [one, scores[nth] ?? 0]));
  const least = all.toSorted(
    (one, other) => (worth.get(one) ?? 0) - (worth.get(other) ?? 0) || other.rank - one.rank,
  );
  const because = {
    step: "reduce-old-sources",
    reason: "sources of an earlier turn, the least relevant first",
  };
  for (const isCited of [false, true]) {
    let rest = least.filter(({ source }) => cited.has(source.number) === isCited);
    while (rest.length > 0 && openOf(input).excess > 0) {
      let { excess } = openOf(input);
      const end = rest.findIndex(({ tokens }) => (excess -= tokens) <= 0);
      const going = new Set(rest.slice(0, end < 0 ? rest.length : end + 1));
      rest = rest.slice(going.size);
      const members = new Map([...going].map((one) => [one.member, one]));
      const numbers = new Set([...going].map(({ source }) => source.number));
      for (const [member, best] of members) {
        const left = sourcesOf(member.current).filter(({ number }) => !numbers.has(number));
        const kept = left.length === 0 && isCited ? [best.source] : left;
        edit(room, member, { sources: kept.map(({ number }) => number) }, because);
      }
    }
  }
}

function lengthOf({ title = "", text, uri = "" }: Source): number {
  return title.length + text.length + uri.length;
}

/** Returns a source as a scorer reads it. */
function asEntry({ id, title = "", text }: Source): HistoryEntry {
  return { type: "global_observation", id, createdAtMs: 0, content: `${title}\n${text}` };
}

function citationsOf(entry: HistoryEntry): readonly number[] {
  const speaks = entry.type === "assistant_message" || entry.type === "final";
  return speaks ? citedSources(textOf(entry.content)) : [];
}

/** Drops the last sources of results, by rank, until there is room or each has one. */
function loseSources(input: StepInput, results: readonly Member[], because: Reason): void {
  const most = results.reduce((top, { current }) => Math.max(top, sourcesOf(current).length), 0);
  const [low, high] = [1, most];
  if (high <= low || openOf(input).excess <= 0) return;
  const before = tokensOf(results.map(({ unit }) => unit));
  // The first guess is by share; then one source less at a time.
  const wanted = Math.max(0, 1 - openOf(input).excess / Math.max(1, before));
  for (let count = Math.max(low, Math.ceil(high * wanted)); count >= low; count--) {
    editEach(input, results, (member) => firstSources(member, count), because);
    if (openOf(input).excess <= 0) return;
  }
}

interface ShortenOptions {
  /** Tokens to save. */
  readonly excess: number;
  /** So many characters of each text stay, or `last` is made of it. */
  readonly least: number;
  readonly last: EntryEdit;
  /** Is part of each edit. */
  readonly along?: EntryEdit;
  readonly because: Reason;
}

/** Shortens texts, the longest first; if too little of each would stay, one after the other becomes what is left of it in the end. */
function shortenBy(
  room: Room,
  members: readonly Member[],
  { excess, least, last, along, because }: ShortenOptions,
): void {
  const used = members.reduce((sum, { tokens }) => sum + tokens, 0);
  if (excess <= 0 || used === 0) return;
  const limits = { room: used - excess, leastCharacters: least, along, because };
  if (shorten(room, members, limits)) return;
  const goal = room.total - excess;
  for (const member of members) {
    if (room.total > goal) edit(room, member, { ...along, ...last }, because);
  }
}

function shortenUploads(
  room: Room,
  uploads: readonly Unit[],
  options: Pick<ShortenOptions, "excess" | "because">,
): void {
  const least = { least: 60, last: { clear: true }, along: { stubMedia: true } } as const;
  shortenBy(room, membersOf(uploads), { ...options, ...least });
}

/** Characters of the line that stands where a text was cut. */
const MARKER = 36;

/** Shortens messages above a share of the budget, the least worthy first: to that share, or to twice, four times as much if that saves enough. */
function shortenMessages(input: StepInput, units: readonly Unit[], because: Reason): void {
  const most = Math.max(SHORT_MESSAGE, input.room.context.budget * MESSAGE_SHARE);
  const long = units.filter(({ tokens, isDropped }) => tokens > most && !isDropped);
  const leastFirst = long.toSorted((one, other) => (one.score ?? 0) - (other.score ?? 0));
  for (const member of membersOf(leastFirst)) {
    const { tokens, entry } = member;
    const { excess } = openOf(input);
    if (excess <= 0) return;
    if (tokens <= most || !MESSAGES.has(entry.type)) continue;
    // In few sizes, so that a text is not cut otherwise at every call.
    const aim = most * 2 ** Math.floor(Math.log2(Math.max(1, (tokens - excess) / most)));
    const { length } = textOfEntry(member.current);
    const characters = Math.max(0, Math.floor((length * aim) / tokens) - MARKER);
    edit(input.room, member, headAndTail(characters), because);
  }
}

/** Drops units until there is room: those that may go first, then the rest. */
function dropInOrder(input: StepInput, units: readonly Unit[], because: Reason): void {
  for (const isFirst of [true, false]) {
    for (const unit of units) {
      if (unit.mayGoFirst !== isFirst) continue;
      if (openOf(input).excess <= 0) return;
      drop(input.room, unit, because);
    }
  }
}

/** So many characters of a message stay if it is only a part of its turn; with the marker it has about so many, and at least so many tokens. */
const SHORT_LENGTH = 120;
const MARKED_LENGTH = SHORT_LENGTH + MARKER;
const SHORT_TOKENS = 40;

const PART = {
  step: "drop-old-messages",
  reason: "a part of a turn of which another is worth more",
};

/** Drops what is not chosen, the least worthy first; then shortens what is only a part of its turn; then drops on. */
function dropByWorth(input: StepInput, old: readonly Unit[]): void {
  const units = old.filter(({ isDropped }) => !isDropped);
  const { whole, short } = chooseByWorth(units, tokensOf(units) - openOf(input).excess);
  const leastFirst = byWorth(units).toReversed();
  for (const unit of leastFirst) {
    if (openOf(input).excess <= 0) return;
    if (!whole.has(unit) && !short.has(unit)) drop(input.room, unit, LESS);
  }
  const messages = membersOf(leastFirst.filter((unit) => short.has(unit))).filter(({ entry }) =>
    MESSAGES.has(entry.type),
  );
  editEach(input, messages, () => ({ text: { head: SHORT_LENGTH, tail: 0 } }), PART);
  // A turn is worth its best unit.
  const best = new Map<number, number>();
  for (const { turn, worth } of leastFirst) best.set(turn, worth);
  const turnsFirst = leastFirst.toSorted(
    (one, other) => (best.get(one.turn) ?? 0) - (best.get(other.turn) ?? 0),
  );
  for (const unit of turnsFirst) {
    if (openOf(input).excess <= 0) return;
    drop(input.room, unit, LESS);
  }
}

/**
 * Chooses units by worth per length, the best first. The request and answer of their turn come along, shortened, until they are chosen themselves.
 * What does not fit is passed over.
 */
function chooseByWorth(
  units: readonly Unit[],
  room: number,
): { readonly whole: ReadonlySet<Unit>; readonly short: ReadonlySet<Unit> } {
  const companions = new Map<number, Unit[]>();
  for (const unit of units) {
    if (unit.mayGoFirst) continue;
    const known = companions.get(unit.turn);
    if (known === undefined) companions.set(unit.turn, [unit]);
    else known.push(unit);
  }
  const whole = new Set<Unit>();
  const short = new Map<Unit, number>();
  let left = room;
  for (const unit of byWorth(units)) {
    const others = (companions.get(unit.turn) ?? []).filter(
      (other) => other !== unit && !whole.has(other) && !short.has(other),
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
