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

/**
 * One requirement of a provider, and its repair. Each function returns a value that satisfies the rule: the same object if its argument does, so a change reveals a violation. Rules of single entries see
 * the entry first, then its parts, its calls, its message's format-specific data, and its result.
 */
export interface WireRule {
  /** Becomes `Repair.rule`, e.g. `blank-text`. */
  readonly name: string;
  /** Source of the requirement: the provider's docs, or a report of a refused request. */
  readonly source: string;
  /** What the repair does, in one line. */
  readonly remedy: string;
  /** Applies single-entry functions only to entries of this format. Default: to all. */
  readonly format?: string;
  /** An empty list removes the part. */
  readonly part?: (
    part: ContentPart,
    entry: HistoryEntry,
    viewer: Viewer,
  ) => ContentPart | readonly ContentPart[];
  readonly call?: (call: ToolCall, action: ActionEntry) => ToolCall;
  readonly result?: (result: ObservationEntry) => ObservationEntry;
  /** Receives `origin.extra`, the format-specific data of a message. */
  readonly extra?: (extra: JsonObject, entry: HistoryEntry) => JsonObject;
  /** An empty list removes the entry. */
  readonly entry?: (entry: HistoryEntry, viewer: Viewer) => HistoryEntry | readonly HistoryEntry[];
  /**
   * Receives all entries, for requirements about their order; returns the same list if they satisfy the rule. Must be deterministic. The result for an entry may depend only on it
   * and the entries before it, so that a prompt keeps its prefix.
   */
  readonly repair?: (
    entries: readonly HistoryEntry[],
    viewer: Viewer,
  ) => readonly HistoryEntry[] | RepairedEntries;
}

/** Entries that a provider accepts, and the repairs made. */
export interface RepairedEntries {
  readonly entries: readonly HistoryEntry[];
  readonly repairs: readonly Repair[];
}

/** A repair may break another rule, e.g. a text is blank after a block was removed. No known case needs more rounds. */
const MAX_ROUNDS = 6;

/**
 * Repairs entries by the rules of a format: first the rules of single entries, then those about order. A valid history is returned by identity; repairs are idempotent. Linear.
 *
 * @param viewer - The reader of the prompt.
 */
export function repairFor(
  { rules }: { readonly rules: readonly WireRule[] },
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): RepairedEntries {
  return overReadable(entries, (readable) => {
    const repairs = new Map<string, Repair>();
    const list = ({ name: rule }: WireRule, one: Repair): void => {
      repairs.set(JSON.stringify([rule, one]), { ...one, rule });
    };
    let before: readonly HistoryEntry[] = [];
    let now = readable;
    for (let round = 0; round < MAX_ROUNDS && now !== before; round += 1) {
      before = now;
      now = repairSingles(rules, now, { viewer, list });
      for (const rule of rules) {
        const given = rule.repair?.(now, viewer) ?? now;
        if (given === now) continue;
        for (const one of "repairs" in given ? given.repairs : differences(now, given)) {
          list(rule, one);
        }
        now = "repairs" in given ? given.entries : given;
      }
    }
    const [first] = readable;
    if (now.length === 0 && first !== undefined) {
      const { id, createdAtMs } = first;
      now = [{ type: "user_message", id, createdAtMs, content: NOTHING_SAID }];
    }
    return { entries: now === readable ? entries : now, repairs: [...repairs.values()] };
  });
}

/** Applies the rules of single entries in one pass. */
function repairSingles(
  rules: readonly WireRule[],
  entries: readonly HistoryEntry[],
  how: { readonly viewer: Viewer; readonly list: (rule: WireRule, one: Repair) => void },
): readonly HistoryEntry[] {
  const byFormat = new Map<string | undefined, ReturnType<typeof changesFor>>();
  let entryId = "";
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
      how.list(rule, { kind: "format", entryId });
      // The replacements are checked in the next round.
      if (isList(given)) return given;
      now = given;
    }
    return now;
  };
  return mapEntries(entries, (entry) => {
    const format = entry.origin?.format;
    const changes = byFormat.get(format) ?? changesFor(rules, format);
    byFormat.set(format, changes);
    entryId = entry.id;
    // First: an unknown message becomes an entry whose parts can be repaired.
    const whole = apply(entry, changes.entry, how.viewer, undefined);
    if (isList(whole)) return whole;
    const parts = mapParts(whole, (part) => apply(part, changes.part, whole, how.viewer));
    let now = mapCalls(parts, (call, action) => apply(call, changes.call, action, undefined));
    const { origin } = now;
    const extra = origin?.extra && apply(origin.extra, changes.extra, whole, undefined);
    if (origin !== undefined && extra !== origin.extra && extra !== undefined && !isList(extra)) {
      now = { ...now, origin: { ...origin, extra } };
    }
    return now.type === "observation" ? apply(now, changes.result, undefined, undefined) : now;
  });
}

interface Change<One, Of, For> {
  readonly rule: WireRule;
  readonly change: (one: One, of: Of, forWhom: For) => One | readonly One[];
}

/** Groups the rules for entries of one format by what they change. */
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

/** Combines the rules of an SDK with those of its provider; the SDK's wins if two have the same name. */
export function combinedRules(
  ofSdk: readonly WireRule[],
  ofProvider: readonly WireRule[] = [],
): readonly WireRule[] {
  const names = new Set(ofSdk.map(({ name }) => name));
  return [...ofSdk, ...ofProvider.filter(({ name }) => !names.has(name))];
}

/** Placeholder for an empty user message, or a request in which nothing that may be sent is left. */
export const NOTHING_SAID = "(empty message)";

/** Returns the fields that an inserted entry shares with its neighbor. */
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

/** Returns an entry as if it had been read from a message of a format, with this format-specific data. */
export function ofFormat<Entry extends HistoryEntry>(
  entry: Entry,
  format: string,
  extra: JsonObject,
): Entry {
  return { ...entry, origin: { message: entry.id, index: 0, ...entry.origin, format, extra } };
}

/** Finds the entries that a rule changed, added or removed; if it only moved entries, the first that moved. */
function differences(
  before: readonly HistoryEntry[],
  after: readonly HistoryEntry[],
): readonly Repair[] {
  const were = new Set(before);
  const ids = new Set(after.map(({ id }) => id));
  const changed = after.filter((entry) => !were.has(entry)).map(({ id }) => id);
  // Entries inserted beside another have its id as a prefix.
  const own = changed.filter((id) => !changed.some((other) => id.startsWith(`${other}/`)));
  const lost = before.flatMap(({ id }) => (ids.has(id) ? [] : [id]));
  const moved = after.find((entry, index) => entry !== before[index])?.id;
  const found = [...own, ...lost];
  return (found.length > 0 || moved === undefined ? found : [moved]).map((entryId) => ({
    kind: "format",
    entryId,
  }));
}

/** A violation of a provider's rule in messages. */
export interface WireFault extends Pick<WireRule, "source" | "remedy"> {
  /** The rule that is broken. */
  readonly rule: string;
  /** The index of the message; `undefined` for a violation outside messages, e.g. in instructions. */
  readonly index: number | undefined;
}

/** Finds violations in messages: what `repairFor` changes in entries read from them, whose ids must be position-based. */
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

/** Throws if a history needed repairs, for `repair: "throw"`. */
export function refuseRepairs(repairs: readonly Repair[]): void {
  const [first] = repairs;
  if (first === undefined) return;
  throw new HistoryError(
    `The provider would refuse the history: it breaks the rule ${first.rule ?? first.kind} at the entry ${first.entryId}${repairs.length > 1 ? `, and ${repairs.length - 1} more` : ""}. Pass \`repair: "list"\`, the default, to repair it.`,
    {
      code: "INVALID_ENTRY",
      details: {
        rules: repairs.map(({ rule, kind }) => rule ?? kind),
        entryIds: repairs.map(({ entryId }) => entryId),
      },
    },
  );
}

/** Maps the parts of an entry; an empty list removes a part. Returns the same entry if nothing changes. Text content is changed by `ofText`. */
export function mapParts(
  entry: HistoryEntry,
  change: (part: ContentPart) => ContentPart | readonly ContentPart[],
  ofText: (text: string) => string = (text) => text,
): HistoryEntry {
  const ofContent = (content: Content): Content =>
    typeof content === "string" ? ofText(content) : mapEntries(content, change);
  const { content } = entry;
  const now = content === undefined ? content : ofContent(content);
  const shown = entry.type === "user_message" ? entry.rendered : undefined;
  const rendered = shown === undefined ? shown : ofContent(shown);
  if (now === content && rendered === shown) return entry;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry of the same type, with other parts
  return { ...entry, content: now, ...(rendered !== undefined && { rendered }) } as HistoryEntry;
}

/** Maps the calls of an action; returns the same entry if `change` changes none. */
export function mapCalls(
  entry: HistoryEntry,
  change: (call: ToolCall, action: ActionEntry) => ToolCall | readonly ToolCall[],
): HistoryEntry {
  if (entry.type !== "action") return entry;
  const toolCalls = mapEntries(entry.toolCalls, (call) => change(call, entry));
  return toolCalls === entry.toolCalls ? entry : { ...entry, toolCalls };
}

/** Maps a list, e.g. of entries; returns the same list if `change` changes nothing. */
export function mapEntries<One extends object>(
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
