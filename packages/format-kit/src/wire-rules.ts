import { HistoryError, overReadable } from "@agent-history/core";
import type {
  ActionEntry,
  Content,
  ContentPart,
  HistoryEntry,
  JsonObject,
  ObservationEntry,
  Repair,
  ToolCall,
  Viewer,
} from "@agent-history/core";

import { isJsonObject } from "./json.ts";

/**
 * One thing that a provider refuses, and what is done about it. Each function returns what keeps the rule, the same object if its argument does: that is how a breach is found. Rules of single entries look
 * at the entry, then at parts, at calls, at what only the format knows of the message, at the result.
 */
export interface WireRule {
  /** Stands in `Repair.rule`: `blank-text`. */
  readonly name: string;
  /** Where the provider says so, or somebody was refused. */
  readonly source: string;
  /** What the repair does, in a line. */
  readonly remedy: string;
  /** Single entries that came in this format only. Default: all. */
  readonly format?: string;
  /** An empty list leaves the part out. */
  readonly part?: (
    part: ContentPart,
    entry: HistoryEntry,
    viewer: Viewer,
  ) => ContentPart | readonly ContentPart[];
  readonly call?: (call: ToolCall, action: ActionEntry) => ToolCall;
  readonly result?: (result: ObservationEntry) => ObservationEntry;
  /** What only its format knows of a message: `origin.extra`. */
  readonly extra?: (extra: JsonObject, entry: HistoryEntry) => JsonObject;
  /** An empty list leaves the entry out. */
  readonly entry?: (entry: HistoryEntry, viewer: Viewer) => HistoryEntry | readonly HistoryEntry[];
  /**
   * How entries follow one another: all of them, and the same list if they keep the rule. Deterministic, and what it makes of an entry depends on that entry and those before it, so that a prompt keeps
   * its prefix.
   */
  readonly repair?: (
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
const MAX_ROUNDS = 6;

/**
 * Repairs entries by the rules of a format: those of single entries first, then those about their order. A valid history is returned by identity; repairing twice is repairing once. Linear.
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
      const singles = repairSingles(rules, now, viewer);
      now = singles.entries;
      for (const one of singles.repairs) repairs.set(JSON.stringify(one), one);
      for (const { name: rule, repair } of rules) {
        const given = repair?.(now, viewer) ?? now;
        if (given === now) continue;
        const listed = "repairs" in given ? given.repairs : differences(now, given);
        for (const one of listed) repairs.set(JSON.stringify([rule, one]), { ...one, rule });
        now = "repairs" in given ? given.entries : given;
      }
    }
    if (now.length === 0 && readable[0] !== undefined) now = [sayNothing(readable[0])];
    return { entries: now === readable ? entries : now, repairs: [...repairs.values()] };
  });
}

/** Applies the rules of single entries in one walk. */
function repairSingles(
  rules: readonly WireRule[],
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): RepairedEntries {
  const broken: [rule: WireRule, entryId: string][] = [];
  const byFormat = new Map<string | undefined, ReturnType<typeof changesFor>>();
  const repaired = mapSame(entries, (entry) => {
    const format = entry.origin?.format;
    const changes = byFormat.get(format) ?? changesFor(rules, format);
    byFormat.set(format, changes);
    const apply = <One extends object, Of, For>(
      one: One,
      all: readonly Change<One, Of, For>[],
      of: Of,
      forWhom: For,
    ): One | readonly One[] => {
      let now = one;
      for (const { rule, change } of all) {
        const given = change(now, of, forWhom);
        if (given === now) continue;
        broken.push([rule, entry.id]);
        // What it became is looked at in the next round.
        if (isList(given)) return given;
        now = given;
      }
      return now;
    };
    // A message that nobody knows becomes one that has parts.
    const whole = apply(entry, changes.entry, viewer, undefined);
    if (isList(whole)) return whole;
    const parts = mapParts(whole, (part) => apply(part, changes.part, whole, viewer));
    let now = mapCalls(parts, (call, action) => apply(call, changes.call, action, undefined));
    const { origin } = now;
    if (origin?.extra !== undefined) {
      const [extra = origin.extra] = mapSame([origin.extra], (one) =>
        apply(one, changes.extra, whole, undefined),
      );
      if (extra !== origin.extra) now = { ...now, origin: { ...origin, extra } };
    }
    return now.type === "observation" ? apply(now, changes.result, undefined, undefined) : now;
  });
  const repairs = rules.flatMap((rule) =>
    broken.flatMap(([one, entryId]): readonly Repair[] =>
      one === rule ? [{ kind: "format", entryId, rule: rule.name }] : [],
    ),
  );
  return { entries: repaired, repairs };
}

interface Change<One, Of, For> {
  readonly rule: WireRule;
  readonly change: (one: One, of: Of, forWhom: For) => One | readonly One[];
}

/** The rules for entries of one format, by what they look at. */
function changesFor(rules: readonly WireRule[], format: string | undefined) {
  const own = rules.filter((rule) => rule.format === undefined || rule.format === format);
  return {
    part: own.flatMap((rule) => (rule.part ? [{ rule, change: rule.part }] : [])),
    call: own.flatMap((rule) => (rule.call ? [{ rule, change: rule.call }] : [])),
    extra: own.flatMap((rule) => (rule.extra ? [{ rule, change: rule.extra }] : [])),
    result: own.flatMap((rule) => (rule.result ? [{ rule, change: rule.result }] : [])),
    entry: own.flatMap((rule) => (rule.entry ? [{ rule, change: rule.entry }] : [])),
  };
}

/** Returns the rules of an SDK and those of the provider that it sends to which have other names. */
export function combinedRules(
  ofSdk: readonly WireRule[],
  ofProvider: readonly WireRule[] = [],
): readonly WireRule[] {
  const names = new Set(ofSdk.map(({ name }) => name));
  return [...ofSdk, ...ofProvider.filter(({ name }) => !names.has(name))];
}

/** What stands where a user said nothing, or nothing that may be sent is left. */
export const NOTHING_SAID = "(empty message)";

function sayNothing({ id, createdAtMs }: HistoryEntry): HistoryEntry {
  return { type: "user_message", id, createdAtMs, content: NOTHING_SAID };
}

/** Returns what an entry that is put beside another one shares with it. */
export function marksOf(
  entry: HistoryEntry,
): Pick<HistoryEntry, "createdAtMs" | "turnId" | "phaseId" | "taskId" | "agent"> {
  const { createdAtMs, turnId, phaseId, taskId, agent } = entry;
  return {
    createdAtMs,
    ...(turnId !== undefined && { turnId }),
    ...(phaseId !== undefined && { phaseId }),
    ...(taskId !== undefined && { taskId }),
    ...(agent !== undefined && { agent }),
  };
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
  change: (call: ToolCall, action: ActionEntry) => ToolCall | readonly ToolCall[],
): HistoryEntry {
  if (entry.type !== "action") return entry;
  const toolCalls = mapSame(entry.toolCalls, (call) => change(call, entry));
  return toolCalls === entry.toolCalls ? entry : { ...entry, toolCalls };
}

/** What holds fields that only its own format knows: a part, a call, or the entry for its message and its result. */
export type FieldHolder = ContentPart | ToolCall | HistoryEntry;

/** Makes a rule of the fields that only a format knows, those of the message item that a part begins in the place of the part's own. */
export function fieldRule(change: (fields: JsonObject, of: FieldHolder) => JsonObject): {
  readonly part: (part: ContentPart) => ContentPart;
  readonly call: (call: ToolCall) => ToolCall;
  readonly extra: (extra: JsonObject, entry: HistoryEntry) => JsonObject;
} {
  const inFields = (extra: JsonObject, of: FieldHolder): JsonObject => {
    const { fields } = extra;
    if (!isJsonObject(fields)) return extra;
    const now = change(fields, of);
    return now === fields ? extra : { ...extra, fields: now };
  };
  const inKey = (extra: JsonObject, key: string, of: FieldHolder): JsonObject => {
    const inner = extra[key];
    const now = isJsonObject(inner) ? inFields(inner, of) : inner;
    return now === undefined || now === inner ? extra : { ...extra, [key]: now };
  };
  return {
    part: (part) => {
      if ((part.type === "opaque" || part.type === "reasoning") && isJsonObject(part.data)) {
        const data = change(part.data, part);
        return data === part.data ? part : { ...part, data };
      }
      if (part.extra === undefined) return part;
      const isOfItem = part.extra["item"] !== undefined;
      const extra = isOfItem ? inKey(part.extra, "item", part) : inFields(part.extra, part);
      return extra === part.extra ? part : { ...part, extra };
    },
    call: (call) => {
      const extra = call.extra && inFields(call.extra, call);
      return extra === undefined || extra === call.extra ? call : { ...call, extra };
    },
    extra: (extra, entry) => inKey(inFields(extra, entry), "result", entry),
  };
}

/** Makes a function that changes the fields that only its own format knows. */
export function fieldsChanged(
  change: (fields: JsonObject, of: FieldHolder) => JsonObject,
): (entry: HistoryEntry) => HistoryEntry {
  const { part, call, extra } = fieldRule(change);
  return (entry) => {
    const { origin } = entry;
    const now = mapCalls(mapParts(entry, part), call);
    const left = origin?.extra && extra(origin.extra, entry);
    if (origin === undefined || left === undefined || left === origin.extra) return now;
    return { ...now, origin: { ...origin, extra: left } };
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
