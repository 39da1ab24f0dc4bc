import { HistoryError, overReadable } from "@agent-history/core";
import type {
  ActionEntry,
  Content,
  ContentPart,
  HistoryEntry,
  JsonObject,
  Repair,
  ToolCall,
  Viewer,
} from "@agent-history/core";

import { isJsonObject } from "./json.ts";

/** One thing that a provider refuses, and what is done about it: of single entries, or of a whole history. */
export type WireRule = EntryRule | HistoryRule;

interface RuleNames {
  /** Stands in `Repair.rule`: `blank-text`. */
  readonly name: string;
  /** Where the provider says so, or somebody was refused. */
  readonly source: string;
  /** What the repair does, in a line. */
  readonly remedy: string;
}

/**
 * A rule of single entries: each function returns what keeps the rule, the same object if its argument does, an empty list to leave it out. They look at parts, then calls, then the entry.
 */
export interface EntryRule extends RuleNames {
  /** Only of entries that came in this format. Default: of all. */
  readonly format?: string;
  readonly part?: (
    part: ContentPart,
    entry: HistoryEntry,
    viewer: Viewer,
  ) => ContentPart | readonly ContentPart[];
  readonly call?: (call: ToolCall, action: ActionEntry) => ToolCall;
  readonly entry?: (entry: HistoryEntry, viewer: Viewer) => HistoryEntry | readonly HistoryEntry[];
}

/** A rule about how entries follow one another. */
export interface HistoryRule extends RuleNames {
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
        const given = keepRule(rule, now, viewer);
        now = given.entries;
        for (const one of given.repairs) repairs.set(JSON.stringify(one), one);
      }
    }
    if (now.length === 0 && readable[0] !== undefined) now = [sayNothing(readable[0])];
    return { entries: now === readable ? entries : now, repairs: [...repairs.values()] };
  });
}

function keepRule(
  rule: WireRule,
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): RepairedEntries {
  const given =
    "repair" in rule ? rule.repair(entries, viewer) : keptEntries(rule, entries, viewer);
  if (given === entries) return { entries, repairs: [] };
  const repaired =
    "repairs" in given ? given : { entries: given, repairs: differences(entries, given) };
  return { ...repaired, repairs: repaired.repairs.map((one) => ({ ...one, rule: rule.name })) };
}

function keptEntries(
  { format, part: keptPart, call: keptCall, entry: keptEntry }: EntryRule,
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): readonly HistoryEntry[] {
  return mapSame(entries, (entry) => {
    if (format !== undefined && entry.origin?.format !== format) return entry;
    let now = entry;
    if (keptPart !== undefined && hasParts(entry)) {
      now = mapParts(now, (part) => keptPart(part, entry, viewer));
    }
    if (keptCall !== undefined && entry.type === "action") now = mapCalls(now, keptCall);
    return keptEntry === undefined ? now : keptEntry(now, viewer);
  });
}

function hasParts(entry: HistoryEntry): boolean {
  if (typeof entry.content === "object") return true;
  return entry.type === "user_message" && typeof entry.rendered === "object";
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

/** Returns an action whose calls are what `change` makes of each; the same entry if it changes none. */
export function mapCalls(
  entry: HistoryEntry,
  change: (call: ToolCall, action: ActionEntry) => ToolCall,
): HistoryEntry {
  if (entry.type !== "action") return entry;
  const toolCalls = mapSame(entry.toolCalls, (call) => change(call, entry));
  return toolCalls === entry.toolCalls ? entry : { ...entry, toolCalls };
}

/** What holds fields that only its own format knows: a part, a call, or the entry for its message and its result. */
export type FieldHolder = ContentPart | ToolCall | HistoryEntry;

/** Changes the fields that only its own format knows, those of the message item that a part begins in the place of the part's own. */
export function mapFields(
  entry: HistoryEntry,
  change: (fields: JsonObject, of: FieldHolder) => JsonObject,
): HistoryEntry {
  let now = entry;
  if (hasParts(entry)) {
    now = mapParts(now, (part) => {
      if ((part.type === "opaque" || part.type === "reasoning") && isJsonObject(part.data)) {
        const data = change(part.data, part);
        return data === part.data ? part : { ...part, data };
      }
      return withExtra(part, part.extra?.["item"] === undefined ? inFields : inItem, change);
    });
  }
  now = mapCalls(now, (call) => withExtra(call, inFields, change));
  const { origin } = now;
  if (origin?.extra === undefined) return now;
  const extra = inResult(inFields(origin.extra, change, entry), change, entry);
  return extra === origin.extra ? now : { ...now, origin: { ...origin, extra } };
}

type ChangeFields = (fields: JsonObject, of: FieldHolder) => JsonObject;
type ChangeExtra = (extra: JsonObject, change: ChangeFields, of: FieldHolder) => JsonObject;

function withExtra<One extends ContentPart | ToolCall>(
  one: One,
  changed: ChangeExtra,
  change: ChangeFields,
): One {
  if (one.extra === undefined) return one;
  const extra = changed(one.extra, change, one);
  return extra === one.extra ? one : { ...one, extra };
}

const inFields: ChangeExtra = (extra, change, of) => {
  const { fields } = extra;
  if (!isJsonObject(fields)) return extra;
  const now = change(fields, of);
  return now === fields ? extra : { ...extra, fields: now };
};

const inItem = inKey("item");
const inResult = inKey("result");

function inKey(key: string): ChangeExtra {
  return (extra, change, of) => {
    const inner = extra[key];
    if (!isJsonObject(inner)) return extra;
    const now = inFields(inner, change, of);
    return now === inner ? extra : { ...extra, [key]: now };
  };
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
