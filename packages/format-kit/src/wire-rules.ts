import { HistoryError, overReadable } from "@agent-history/core";
import type { Content, ContentPart, HistoryEntry, Repair, Viewer } from "@agent-history/core";

/** One thing that a provider refuses, and what is done about it. */
export interface WireRule {
  /** Stands in `Repair.rule`: `blank-text`. */
  readonly name: string;
  /** Where the provider says so, or somebody was refused. */
  readonly source: string;
  /** What the repair does, in a line. */
  readonly remedy: string;
  /**
   * Returns entries that keep the rule. What keeps it already is the same object, and so is the list if all do: that is how a breach is found. Deterministic, and what it makes of an entry depends on
   * that entry and those before it, so that a prompt keeps its prefix.
   */
  readonly repair: (
    entries: readonly HistoryEntry[],
    viewer: Viewer,
  ) => readonly HistoryEntry[] | RepairedEntries;
}

/** Entries that a provider takes, and what was changed. */
export interface RepairedEntries {
  readonly entries: readonly HistoryEntry[];
  readonly repairs: readonly Repair[];
}

/** A rule may bring another one's case about: a text is blank once a block has gone. No case needs more rounds. */
const MAX_ROUNDS = 4;

/**
 * Repairs entries by the rules of a format, in their order. A valid history is returned by identity; repairing twice is repairing once. Linear.
 *
 * @param viewer - Whose prompt it is.
 */
export function repairFor(
  { rules }: { readonly rules: readonly WireRule[] },
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): RepairedEntries {
  return overReadable(entries, (readable) => {
    const repairs = new Map<string, Repair>();
    let before: readonly HistoryEntry[] = [];
    let now = readable;
    for (let round = 0; round < MAX_ROUNDS && now !== before; round += 1) {
      before = now;
      for (const rule of rules) {
        const given = rule.repair(now, viewer);
        const repaired =
          "repairs" in given ? given : { entries: given, repairs: differences(now, given) };
        now = repaired.entries;
        for (const one of repaired.repairs) {
          repairs.set(JSON.stringify([rule.name, one]), { ...one, rule: rule.name });
        }
      }
    }
    if (now.length === 0 && readable[0] !== undefined) now = [sayNothing(readable[0])];
    return { entries: now === readable ? entries : now, repairs: [...repairs.values()] };
  });
}

/** What stands where a user said nothing, or nothing that may be sent is left. */
export const NOTHING_SAID = "(empty message)";

function sayNothing({ id, createdAtMs }: HistoryEntry): HistoryEntry {
  return { type: "user_message", id, createdAtMs, content: NOTHING_SAID };
}

/** Finds the entries that a rule changed, added or left out; if it moved entries, the first that stands elsewhere. */
function differences(
  before: readonly HistoryEntry[],
  after: readonly HistoryEntry[],
): readonly Repair[] {
  if (before === after) return [];
  const were = new Set(before);
  const ids = new Set(after.map(({ id }) => id));
  const changed = after.filter((entry) => !were.has(entry)).map(({ id }) => id);
  // What was put beside an entry is named after it.
  const own = changed.filter((id) => !changed.some((other) => id.startsWith(`${other}/`)));
  const lost = before.flatMap(({ id }) => (ids.has(id) ? [] : [id]));
  const moved = after.find((entry, index) => entry !== before[index])?.id;
  const found = [...own, ...lost];
  return (found.length > 0 || moved === undefined ? found : [moved]).map((entryId) => ({
    kind: "format",
    entryId,
  }));
}

/** A place where a provider would refuse messages. */
export interface WireFault {
  /** The rule that is broken. */
  readonly rule: string;
  /** The index of the message; `undefined` for what stands beside them, such as instructions. */
  readonly index: number | undefined;
  /** Where the rule comes from. */
  readonly source: string;
  /** What the repair does. */
  readonly remedy: string;
}

/** Finds what a provider would refuse in messages: by what `repairFor` changes in the entries that were read from them, under ids of their position. */
export function faultsFor(
  target: { readonly rules: readonly WireRule[] },
  entries: readonly HistoryEntry[],
): readonly WireFault[] {
  return repairFor(target, entries).repairs.map(({ rule: name = "", entryId }) => {
    const rule = target.rules.find((one) => one.name === name);
    const index = /^[a-z-]+-(?<index>\d+)-/u.exec(entryId)?.groups?.["index"];
    const { source = "", remedy = "" } = rule ?? {};
    return { rule: name, index: index === undefined ? undefined : Number(index), source, remedy };
  });
}

/** Refuses a history that had to be repaired, for callers who want to know instead. */
export function refuseRepairs(repairs: readonly Repair[]): void {
  const [first] = repairs;
  if (first === undefined) return;
  throw new HistoryError(
    `Expected a history that the provider takes: it breaks the rule ${first.rule ?? first.kind} at the entry ${first.entryId}${repairs.length > 1 ? `, and ${repairs.length - 1} more` : ""}. Repair it with \`repair: "list"\`, the default.`,
    {
      code: "INVALID_ENTRY",
      details: {
        rules: repairs.map(({ rule, kind }) => rule ?? kind),
        entryIds: repairs.map(({ entryId }) => entryId),
      },
    },
  );
}

/** Returns entries of which each is what `change` makes of it; the same list if it changes none. */
export function mapEntries(
  entries: readonly HistoryEntry[],
  change: (entry: HistoryEntry, index: number) => HistoryEntry | readonly HistoryEntry[],
): readonly HistoryEntry[] {
  return mapSame(entries, change);
}

/** Returns an entry whose parts are what `change` makes of each, `undefined` for none; the same entry if it changes none. A text is no part: `ofText` changes it. */
export function mapParts(
  entry: HistoryEntry,
  change: (part: ContentPart) => ContentPart | readonly ContentPart[],
  ofText: (text: string) => string = (text) => text,
): HistoryEntry {
  const ofContent = (content: Content): Content =>
    typeof content === "string" ? ofText(content) : mapSame(content, change);
  const { content } = entry;
  const now = content === undefined ? content : ofContent(content);
  const shown = entry.type === "user_message" ? entry.rendered : undefined;
  const rendered = shown === undefined ? shown : ofContent(shown);
  if (now === content && rendered === shown) return entry;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry of the same type, with other parts
  return { ...entry, content: now, ...(rendered !== undefined && { rendered }) } as HistoryEntry;
}

/** Returns a list of which each is what `change` makes of it; the same list if it changes none. */
export function mapSame<One extends object>(
  list: readonly One[],
  change: (one: One, index: number) => One | readonly One[],
): readonly One[] {
  let changed: One[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const one = list[index];
    if (one === undefined) continue;
    const now = change(one, index);
    if (now !== one) changed ??= list.slice(0, index);
    if (changed === undefined) continue;
    if (isList(now)) for (const each of now) changed.push(each);
    else changed.push(now);
  }
  return changed ?? list;
}

function isList<One>(value: One | readonly One[]): value is readonly One[] {
  return Array.isArray(value);
}
