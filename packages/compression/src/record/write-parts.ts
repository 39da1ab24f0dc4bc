import type { SummaryPart, TokenCounter } from "@agent-history/core";

import { withoutOpening } from "./markers.ts";
import { quoteLine } from "./quote.ts";
import { summaryLines } from "./summary-lines.ts";
import type { Line } from "./summary-lines.ts";
import { oneLine } from "./text.ts";

/** How long the text of a summary may be. */
export interface WriteOptions {
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
}

/** The text of a summary, and the parts that found no room in it. */
export interface WrittenSummary {
  readonly text: string;
  readonly dropped: readonly SummaryPart[];
}

interface Section {
  readonly title: string;
  /** The share of the cap that is kept free for it. */
  readonly least: number;
  /** The most that it takes while others have something to say. */
  readonly most: number;
}

/** In the order of the text. */
const SECTIONS: ReadonlyMap<string, Section> = new Map([
  ["rule", { title: "Instructions", least: 0.6, most: 1 }],
  ["value", { title: "Facts", least: 0.8, most: 1 }],
  ["earlier", { title: "Earlier summary", least: 0.28, most: 0.3 }],
  ["brief", { title: "Earlier brief", least: 0.1, most: 0.15 }],
  ["turn", { title: "Course", least: 0.2, most: 0.5 }],
  ["why", { title: "Findings and decisions", least: 0.12, most: 0.3 }],
  ["found", { title: "Results", least: 0.05, most: 0.12 }],
  ["case", { title: "Records", least: 0.12, most: 0.3 }],
  ["note", { title: "Summary", least: 0.55, most: 0.55 }],
  ["name", { title: "Files read or named", least: 0.1, most: 0.1 }],
  ["file", { title: "Changed files", least: 0.12, most: 0.22 }],
  ["landed", { title: "Done", least: 0.05, most: 0.12 }],
  ["check", { title: "Checks", least: 0.08, most: 0.14 }],
  ["todo", { title: "List", least: 0.09, most: 0.16 }],
  ["offer", { title: "Said before the task", least: 0.15, most: 0.18 }],
  ["task", { title: "Task", least: 0.36, most: 0.36 }],
  ["now", { title: "At the end", least: 0.2, most: 0.32 }],
]);
/** In the order in which each is served its share. */
const SERVED: readonly string[] =
  "rule value note task now offer todo case earlier check landed file brief turn why found name".split(
    " ",
  );
/** Tokens of a title and a line. */
const ONE_LINE = 30;
/** Lines that are worth less take what is left over. */
const LEAST_SERVED = 42;
/** Say what others may have said in the same words: once is enough. */
const REPEATING: ReadonlySet<string> = new Set(["why", "rule", "value", "found", "turn"]);
/** Are short, or not at all. */
const NEVER_FILLS: ReadonlySet<string> = new Set(["brief", "name"]);

/**
 * Writes the text of a summary from its parts, under a cap: each section gets a share, then lines are chosen by what they are
 * worth. Deterministic; counts each line a few times.
 */
export function writeParts(parts: readonly SummaryPart[], options: WriteOptions): WrittenSummary {
  const { counter } = options;
  if (options.maxTokens <= 0 || parts.length === 0) return { text: "", dropped: parts };
  const all = parts.map(({ text, note = "" }) => `${text} ${note}`).join("\n");
  // Without a cap there is room for each part as a line.
  const maxTokens =
    options.maxTokens === Infinity ? counter.countText(all) * 3 + 4000 : options.maxTokens;
  const sample = all.slice(0, 4000);
  // Scripts and counters differ in how many characters one token has.
  const perToken = Math.min(
    4,
    Math.max(0.25, sample.length / Math.max(1, counter.countText(sample))),
  );
  let room = maxTokens;
  // Lines may count more together than alone: then fewer are chosen.
  for (let attempt = 0; attempt < 8 && room > 0; attempt++) {
    const best = fill({ parts, maxTokens: room, counter, perToken: perToken * 0.9 });
    const text = textOf(best);
    const tokens = counter.countText(text);
    if (tokens <= maxTokens) {
      const written = new Set(best.chosen.flatMap((line) => line.parts));
      return { text, dropped: parts.filter((part) => part.kind !== "root" && !written.has(part)) };
    }
    room = Math.floor(room * Math.min(0.97, maxTokens / tokens));
  }
  return { text: "", dropped: parts };
}

interface Filling {
  readonly parts: readonly SummaryPart[];
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
  readonly perToken: number;
}

interface Filled {
  readonly head: string;
  readonly chosen: readonly Line[];
}

/** Chooses lines under the cap. */
function fill(filling: Filling): Filled {
  const { parts, maxTokens, counter, perToken } = filling;
  const chars = (share: number): number => Math.max(20, Math.floor(maxTokens * share * perToken));
  // Cuts grow with the cap; scripts that say more with a character get shorter ones.
  const bySize = Math.min(1.25, Math.max(0.4, maxTokens / 2400));
  const scale = bySize * Math.min(1, Math.max(0.4, perToken / 3.2));
  const lines = summaryLines({ parts, chars, scale });
  const ranked = lines.toSorted((one, other) => other.value - one.value || one.order - other.order);
  const root = parts.find(({ kind }) => kind === "root")?.text ?? "";
  const head = root === "" ? "" : `Paths are relative to ${quoteLine(root)}.`;
  const choice = lineChoice(filling, head === "" ? 0 : counter.countText(`${head}\n`));
  // The share of a small cap may be less than a line.
  const mostOf = (section: string): number =>
    Math.max(ONE_LINE, maxTokens * (SECTIONS.get(section)?.most ?? 1));
  for (const section of SERVED) {
    const least = maxTokens * (SECTIONS.get(section)?.least ?? 0);
    const own = ranked.filter((line) => line.section === section && line.value >= LEAST_SERVED);
    // The first line of a section may take all that the section may.
    const most = (): number => (choice.has(section) ? least : mostOf(section));
    choice.takeAll(own, 3, (line) => choice.take(line, most()));
  }
  choice.takeAll(ranked, 6, (line) => choice.take(line, mostOf(line.section)));
  const rest = ranked.filter(({ section }) => !NEVER_FILLS.has(section));
  choice.takeAll(rest, 6, (line) => {
    if (choice.take(line, maxTokens)) return true;
    return line.short !== undefined && choice.take({ ...line, text: line.short }, maxTokens);
  });
  return { head, chosen: choice.chosen };
}

/** Lines that were chosen, and the room that is left. */
interface LineChoice {
  readonly chosen: readonly Line[];
  readonly has: (section: string) => boolean;
  /** Takes a line, if it fits into what is left and its section does not get more than `most` tokens. */
  readonly take: (line: Line, most: number) => boolean;
  /** Tries lines in order. A section of which some did not fit is passed over. */
  readonly takeAll: (
    lines: readonly Line[],
    mostMisses: number,
    take: (line: Line) => boolean,
  ) => void;
}

function lineChoice({ maxTokens, counter, perToken }: Filling, headTokens: number): LineChoice {
  let left = maxTokens - headTokens;
  const chosen: Line[] = [];
  const used = new Map<string, number>();
  const done = new Set<Line>();
  const seen: string[] = [];
  const counts = new Map<string, number>();
  const countOf = (text: string): number => {
    const known = counts.get(text) ?? counter.countText(text);
    counts.set(text, known);
    return known;
  };
  const take = (line: Line, most: number): boolean => {
    if (line.needs !== undefined && !chosen.some(({ id }) => id === line.needs)) return false;
    const own = used.get(line.section);
    const room = Math.min(left, most - (own ?? 0));
    // What is far too long is not counted.
    if (line.text.length > 3 * perToken * room) return false;
    const title = `## ${SECTIONS.get(line.section)?.title ?? ""}\n`;
    const cost = countOf(`${line.text}\n`) + (own === undefined ? countOf(title) : 0);
    if (cost > room) return false;
    done.add(line);
    if (isRepeated(line, seen)) return true;
    chosen.push(line);
    seen.push(oneLine(line.text).toLowerCase());
    used.set(line.section, (own ?? 0) + cost);
    left -= cost;
    return true;
  };
  return {
    chosen,
    has: (section) => used.has(section),
    take,
    takeAll: (lines, mostMisses, takeOne) => {
      const misses = new Map<string, number>();
      for (const line of lines) {
        const missed = misses.get(line.section) ?? 0;
        if (done.has(line) || missed >= mostMisses) continue;
        if (!takeOne(line)) misses.set(line.section, missed + 1);
      }
    },
  };
}

function isRepeated(line: Line, seen: readonly string[]): boolean {
  const start = startOf(line);
  const mayRepeat = REPEATING.has(line.section) && start.length > 12;
  return mayRepeat && seen.some((text) => text.includes(start));
}

function startOf({ text }: Line): string {
  return withoutOpening(oneLine(text).replace(/^- (?:(?:User|Task): )?/, ""))
    .slice(0, 60)
    .toLowerCase();
}

function textOf({ head, chosen }: Filled): string {
  const sections = [...SECTIONS].flatMap(([section, { title }]) => {
    const lines = chosen.filter((line) => line.section === section);
    if (lines.length === 0) return [];
    const inOrder = lines.toSorted((one, other) => one.order - other.order);
    return [[`## ${title}`, ...inOrder.map(({ text }) => text)].join("\n")];
  });
  if (sections.length === 0) return "";
  return [...(head === "" ? [] : [head]), ...sections].join("\n");
}
