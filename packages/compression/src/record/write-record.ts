import type { SummaryPart, TokenCounter } from "@agent-history/core";

import { summaryLines } from "./summary-lines.ts";
import type { Line } from "./summary-lines.ts";
import { oneLine, quoteLine } from "./text.ts";

/** Limit of a summary's text. */
export interface WriteOptions {
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
}

/** The text of a summary, and the parts that did not fit. */
export interface WrittenSummary {
  readonly text: string;
  readonly dropped: readonly SummaryPart[];
}

interface Section {
  readonly title: string;
  /** The share of the cap reserved for it. */
  readonly least: number;
}

/** In the order of the text. */
const SECTIONS: ReadonlyMap<string, Section> = new Map([
  ["rule", { title: "Instructions", least: 0.6 }],
  ["value", { title: "Facts", least: 0.8 }],
  ["fact", { title: "Facts", least: 1 }],
  ["earlier", { title: "Earlier summary", least: 0.28 }],
  ["turn", { title: "Course", least: 0.2 }],
  ["why", { title: "Findings and decisions", least: 0.12 }],
  ["found", { title: "Results", least: 0.05 }],
  ["case", { title: "Records", least: 0.12 }],
  ["note", { title: "Summary", least: 0.55 }],
  ["file", { title: "Changed files", least: 0.12 }],
  ["landed", { title: "Done", least: 0.05 }],
  ["check", { title: "Checks", least: 0.08 }],
  ["todo", { title: "List", least: 0.09 }],
  ["offer", { title: "Said before the task", least: 0.15 }],
  ["task", { title: "Task", least: 0.36 }],
  ["now", { title: "At the end", least: 0.2 }],
]);
/** In the order in which sections get their share. */
const SERVED: readonly string[] =
  "rule value fact note task now offer todo case earlier check landed file turn why found".split(
    " ",
  );
/** Lines of lower worth take only leftover room. */
const LEAST_SERVED = 42;
/** Sections that may repeat others: repeated lines are skipped. */
const REPEATING: ReadonlySet<string> = new Set("why rule value found turn todo".split(" "));

/**
 * Writes the text of a summary from its parts, under a cap: each section gets a share, then lines are chosen by
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
  const density = sample.length / Math.max(1, counter.countText(sample));
  const perToken = Math.min(4, Math.max(0.25, density)) * 0.9;
  let room = maxTokens;
  // Lines may count more together than alone; then choose fewer.
  for (let attempt = 0; attempt < 8 && room > 0; attempt++) {
    const { text, chosen } = fill(parts, { maxTokens: room, counter, perToken });
    const tokens = counter.countText(text);
    if (tokens <= maxTokens) {
      const written = new Set(chosen.flatMap((line) => line.parts));
      return {
        text,
        // The root explains how to read paths.
        dropped: parts.filter((part) => part.kind !== "root" && !written.has(part)),
      };
    }
    room = Math.floor(room * Math.min(0.97, maxTokens / tokens));
  }
  return { text: "", dropped: parts };
}

interface Filling extends WriteOptions {
  readonly perToken: number;
}

/** Chooses lines under the cap. */
function fill(
  parts: readonly SummaryPart[],
  { maxTokens, counter, perToken }: Filling,
): { readonly text: string; readonly chosen: readonly Line[] } {
  // Cuts grow with the cap; scripts that say more with a character get shorter ones.
  const bySize = Math.min(1.25, Math.max(0.4, maxTokens / 2400));
  const scale = bySize * Math.min(1, Math.max(0.4, perToken / 3.2));
  const chars = (share: number): number => Math.max(20, Math.floor(maxTokens * share * perToken));
  const ranked = summaryLines({ parts, chars, scale }).toSorted(
    (one, other) => other.value - one.value || one.order - other.order,
  );
  const root = parts.find(({ kind }) => kind === "root")?.text ?? "";
  const head = root === "" ? "" : `Paths are relative to ${quoteLine(root)}.\n`;
  const left = maxTokens - (head === "" ? 0 : counter.countText(head));
  const { chosen, used, take } = lineChoice({ maxTokens: left, counter, perToken });
  for (const section of SERVED) {
    const least = maxTokens * (SECTIONS.get(section)?.least ?? 0);
    const own = ranked.filter((line) => line.section === section && line.value >= LEAST_SERVED);
    // The first line of a section may be longer than its share.
    for (const line of own) take(line, used.has(section) ? least : maxTokens);
  }
  for (const line of ranked) take(line, maxTokens);
  return { text: chosen.size === 0 ? "" : head + textOf([...chosen]), chosen: [...chosen] };
}

/** Collects lines while there is room: the chosen ones, and the tokens that each section uses. */
function lineChoice({ maxTokens, counter, perToken }: Filling): {
  readonly chosen: ReadonlySet<Line>;
  readonly used: ReadonlyMap<string, number>;
  readonly take: (line: Line, most: number) => void;
} {
  const chosen = new Set<Line>();
  const passed = new Set<Line>();
  const used = new Map<string, number>();
  const counts = new Map<string, number>();
  let left = maxTokens;
  return { chosen, used, take };

  /** Takes a line if it fits and its section stays within `most` tokens. */
  function take(line: Line, most: number): void {
    const isNeeded = line.needs === undefined || [...chosen].some(({ id }) => id === line.needs);
    if (passed.has(line) || !isNeeded) return;
    const own = used.get(line.section);
    const room = Math.min(left, most - (own ?? 0));
    // Do not count lines that are too long by an estimate.
    if (line.text.length > 1.2 * perToken * room) return;
    const title = `## ${SECTIONS.get(line.section)?.title ?? ""}\n`;
    const cost = countOf(`${line.text}\n`) + (own === undefined ? countOf(title) : 0);
    if (cost > room) return;
    passed.add(line);
    if (isRepeated(line, chosen)) return;
    chosen.add(line);
    used.set(line.section, (own ?? 0) + cost);
    left -= cost;
  }

  function countOf(text: string): number {
    const count = counts.get(text) ?? counter.countText(text);
    counts.set(text, count);
    return count;
  }
}

function isRepeated({ text, section }: Line, chosen: ReadonlySet<Line>): boolean {
  if ([...chosen].some((other) => other.text === text)) return true;
  const start = oneLine(text)
    .replace(/^- (?:(?:User|Task): |\[said\] )?/, "")
    .slice(0, 60)
    .toLowerCase();
  if (!REPEATING.has(section) || start.length < 8) return false;
  return [...chosen].some((other) => oneLine(other.text).toLowerCase().includes(start));
}

function textOf(chosen: readonly Line[]): string {
  const sections = [...SECTIONS].flatMap(([section, { title }]) => {
    const lines = chosen.filter((line) => line.section === section);
    if (lines.length === 0) return [];
    const inOrder = lines.toSorted((one, other) => one.order - other.order);
    return [[`## ${title}`, ...inOrder.map(({ text }) => text)].join("\n")];
  });
  return sections.join("\n");
}
