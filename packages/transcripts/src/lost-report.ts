import type { HistoryEntry, ToolCall } from "@agent-history/core";
import { plainText, textOf } from "@agent-history/format-kit";

import { bareCommand, baseName, callCommand, calledFiles, callInput } from "./called-files.ts";
import { entryText } from "./entry-text.ts";
import type { CompactionItem, EntryItem, TranscriptItem } from "./transcript-item.ts";

/** What an agent needed after a compaction, and which of it the summary kept. */
export interface LostReport {
  readonly compaction: CompactionItem;
  readonly summaryCharacters: number;
  readonly facts: readonly NeededFact[];
  /** Number of files read before the compaction, and how many of them were read again. */
  readonly readBefore: number;
  readonly readAgain: readonly string[];
}

/** A needed fact, and whether the summary contains it. A file is two facts: its path and its name. */
export interface NeededFact {
  readonly kind: keyof typeof LOST_DEFINITIONS;
  readonly text: string;
  readonly isKept: boolean;
}

/** Definition of each row, for readers of the figures. */
export const LOST_DEFINITIONS = {
  "file paths":
    "Paths in tool calls between a compaction and the next (file_path, path and notebook_path inputs, and paths in shell commands) that occurred before it, in full or by name. Kept if the summary contains the path, absolute or relative to the working folder.",
  "file names": "The same files. Kept if the summary contains the name.",
  identifiers:
    "Identifiers of at least 6 characters, in mixed case or with an underscore, in commands and search patterns between a compaction and the next that occurred before it.",
  numbers:
    "Numbers of at least 3 digits in commands and search patterns between a compaction and the next that occurred before it.",
  errors:
    "First lines of failed results before a compaction that occur again between it and the next.",
} as const;

/** Compares each compaction's summary with what is needed after it, while a session is read. It keeps the texts between two compactions in memory. */
export interface LostMeter {
  readonly add: (item: TranscriptItem) => void;
  /** A report for each compaction after which tools were called. */
  readonly result: () => readonly LostReport[];
}

/**
 * Creates a meter. Only the main history counts. Linear in the texts, except for a search of each needed fact in the text before the compaction.
 *
 * @example
 * ```ts
 * import { lostMeter } from "@agent-history/transcripts";
 *
 * lostMeter().result();
 * // => []
 * ```
 */
export function lostMeter(): LostMeter {
  const reports: LostReport[] = [];
  let open: OpenCompaction | undefined;
  let waiting: CompactionItem | undefined;
  let segment = emptySegment();
  const close = (): void => {
    const report = open && reportOf(open, segment);
    if (report) reports.push(report);
  };
  return {
    add: (item) => {
      if (item.kind === "compaction" && item.how === "summary" && item.agentId === undefined) {
        waiting = item;
      } else if (item.kind === "entry" && item.agentId === undefined) {
        const { entry } = item;
        if (entry.type === "summary" && waiting !== undefined) {
          close();
          open = { compaction: waiting, summary: entryText(entry), before: segment };
          waiting = undefined;
          segment = emptySegment();
        }
        addEntry(segment, item);
      }
    },
    result: () => {
      close();
      open = undefined;
      return reports;
    },
  };
}

interface OpenCompaction {
  readonly compaction: CompactionItem;
  readonly summary: string;
  readonly before: Segment;
}

/** The content between two compactions, including the summary at its beginning. */
type Segment = ReturnType<typeof emptySegment>;

function emptySegment() {
  const texts: string[] = [];
  /** Forms of each path by absolute path, in the order of calls. */
  const paths = new Map<string, readonly string[]>();
  const sets = () => new Set<string>();
  return { texts, paths, read: sets(), names: sets(), numbers: sets(), errors: sets() };
}

function addEntry(segment: Segment, { entry, cwd }: EntryItem): void {
  segment.texts.push(entryText(entry));
  for (const { path, isRead } of calledFiles(entry)) {
    const { absolute, forms } = pathForms(path, cwd);
    segment.paths.set(absolute, [...new Set([...(segment.paths.get(absolute) ?? []), ...forms])]);
    if (isRead) segment.read.add(absolute);
  }
  if (entry.type === "action") {
    for (const call of entry.toolCalls) {
      for (const name of searchedNames(call)) segment.names.add(name);
      for (const number of numbersIn(searchText(call))) segment.numbers.add(number);
    }
  }
  const error = errorLine(entry);
  if (error !== undefined) segment.errors.add(error);
}

function reportOf(
  { compaction, summary, before }: OpenCompaction,
  after: Segment,
): LostReport | undefined {
  const text = before.texts.join("\n");
  const later = after.texts.slice(1).join("\n");
  const factsOf = (kind: NeededFact["kind"], some: Iterable<string>, where: string) =>
    [...some]
      .filter((fact) => where.includes(fact))
      .map((fact): NeededFact => ({ kind, text: fact, isKept: summary.includes(fact) }));
  if (after.paths.size + after.names.size + after.numbers.size === 0) return undefined;
  const paths = [...after.paths].filter(([path, forms]) =>
    [...forms, baseName(path)].some((form) => text.includes(form)),
  );
  return {
    compaction,
    summaryCharacters: summary.length,
    facts: [
      ...paths.flatMap(([path, forms]): readonly NeededFact[] => {
        const isKept = forms.some((form) => summary.includes(form));
        const isNameKept = summary.includes(baseName(path));
        return [
          { kind: "file paths", text: path, isKept },
          { kind: "file names", text: path, isKept: isNameKept },
        ];
      }),
      ...factsOf("identifiers", after.names, text),
      ...factsOf("numbers", after.numbers, text),
      ...factsOf("errors", before.errors, later),
    ],
    readBefore: before.read.size,
    readAgain: [...after.read].filter((path) => before.read.has(path)),
  };
}

/** How many facts of a kind were needed after several compactions, and how many of them the summaries kept. */
export interface LostRow {
  readonly name: NeededFact["kind"];
  readonly needed: number;
  readonly kept: number;
}

/** Sums up the facts of compactions, by kind. */
export function lostRows(reports: readonly LostReport[]): readonly LostRow[] {
  const kinds = ["file paths", "file names", "identifiers", "numbers", "errors"] as const;
  return kinds.map((name) => {
    const facts = reports.flatMap((report) => report.facts.filter(({ kind }) => kind === name));
    return { name, needed: facts.length, kept: facts.filter(({ isKept }) => isKept).length };
  });
}

/** Returns names of code that a call searches for, in a search pattern or a command, without paths. */
function searchedNames(call: ToolCall): readonly string[] {
  return searchText(call)
    .split(/[\s'"`;|&<>]+/)
    .filter((word) => !word.includes("/"))
    .flatMap((word) => word.match(/[A-Za-z_]\w{5,}/g) ?? [])
    .filter((word) => /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/.test(word));
}

/** Returns the text that a call searches with: a search pattern or a shell command. */
function searchText(call: ToolCall): string {
  if (!/grep|search/i.test(call.name)) return bareCommand(callCommand(call));
  return textOf(callInput(call)["pattern"]) ?? "";
}

/** Returns standalone numbers of at least three digits. */
function numbersIn(text: string): readonly string[] {
  return text.match(/(?<![\w.-])\d{3,12}(?![\w-])/g) ?? [];
}

/** Returns the first line of a failed result that describes the failure. */
function errorLine(entry: HistoryEntry): string | undefined {
  if (entry.type !== "observation" || entry.outcome !== "error") return undefined;
  const lines = plainText(entry.content).slice(0, 4000).split("\n");
  const words = lines.map((line) => line.trim()).filter((line) => line.length >= 12);
  const told = words.find((line) =>
    /error|fail|cannot|not found|denied|invalid|undefined/i.test(line),
  );
  return (told ?? words[0])?.slice(0, 160);
}

/** Resolves a path against a working folder; a path in a home folder stays unchanged. `forms` are the ways a text may name it: as written, absolute, relative to the folder. */
function pathForms(path: string, cwd: string | undefined) {
  const isRooted = /^(?:[/~]|[A-Za-z]:)/.test(path);
  const absolute = resolved(isRooted || cwd === undefined ? path : `${cwd}/${path}`);
  const below = cwd !== undefined && absolute.startsWith(`${cwd}/`);
  const relative = below ? absolute.slice(cwd.length + 1) : absolute;
  return { absolute, forms: [...new Set([path, absolute, relative])] };
}

function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && (part !== "" || parts.length === 0)) parts.push(part);
  }
  return parts.join("/");
}
