import { globSync } from "node:fs";
import { join } from "node:path";

import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";
import { entryText } from "@agent-history/transcripts";
import type { TranscriptItem } from "@agent-history/transcripts";
import { readTranscriptFile } from "@agent-history/transcripts/node";

import {
  flat,
  hasName,
  hasPath,
  namedFiles,
  requestsIn,
  usedNames,
  usedPaths,
} from "../compaction/needed-later.ts";
import type { NamedFile } from "../compaction/needed-later.ts";
import { entriesOf, readCompactions } from "../compaction/read-compactions.ts";
import type { RecordedCompaction } from "../compaction/read-compactions.ts";
import { waysToKeep } from "../compaction/ways-to-keep.ts";
import type { WayToKeep } from "../compaction/ways-to-keep.ts";
import type { ResultTable } from "../report/result-table.ts";
import { median, milliseconds, percent } from "../report/statistics.ts";

/** What a way keeps of what was needed afterwards, over all compactions. */
export interface CompactionFigures {
  readonly way: string;
  /** Of the tokens of the agent's own summary. */
  readonly share: number;
  readonly files: number;
  readonly paths: number;
  readonly names: number;
  readonly requests: number;
  /** Of the words. */
  readonly bareNumbers: number;
  /** Of the tokens: those in lines with a label, or that end as a sentence. */
  readonly labelled: number;
  readonly tokens: number;
  readonly overCap: number;
  readonly medianMs: number;
  readonly compactions: number;
}

/** A compaction after which something was needed that had stood before it. */
interface Needed extends RecordedCompaction {
  readonly before: string;
  readonly files: readonly NamedFile[];
  readonly standing: readonly NamedFile[];
  readonly names: readonly string[];
  readonly requests: readonly string[];
}

interface Kept extends Needed {
  readonly text: string;
  readonly maxTokens: number;
  readonly ms: number;
}

/** Reads the sessions of an agent below a folder and finds their compactions. */
export async function recordedCompactions(
  folder: string,
  agent: "claude-code" | "codex" = "claude-code",
): Promise<readonly Needed[]> {
  const needed: Needed[] = [];
  for (const file of globSync(`transcripts/${agent}/*.jsonl.gz`, { cwd: folder }).toSorted()) {
    const items: TranscriptItem[] = [];
    await readTranscriptFile(join(folder, file), { onItems: (some) => items.push(...some) });
    needed.push(...neededAfter(items));
  }
  return needed;
}

/** The compactions of a session with what was needed after each. */
export function neededAfter(items: readonly TranscriptItem[]): readonly Needed[] {
  return readCompactions(items).flatMap((compaction): readonly Needed[] => {
    const before = compaction.past.map(({ entry }) => entryText(entry)).join("\n");
    const later = compaction.after;
    const all = namedFiles(usedPaths(later));
    const standing = all.filter((file) => hasPath(before, file));
    const files = all.filter((file) => standing.includes(file) || hasName(before, file.name));
    if (files.length === 0) return [];
    const names = usedNames(later).filter((name) => hasName(before, name));
    return [
      { ...compaction, before, files, standing, names, requests: requestsIn(compaction.past) },
    ];
  });
}

/** What the summaries are written by, and how long they may be. */
export interface CompactionWays {
  readonly ways?: Readonly<Record<string, WayToKeep>>;
  /** What a share is of. Default: the tokens of the agent's own summary. */
  readonly ownTokens?: number;
}

/** Writes a summary of each in every way, at shares of the tokens of the agent's own, and says what they keep. */
export async function compactionFigures(
  needed: readonly Needed[],
  shares: readonly number[],
  { ways = waysToKeep, ownTokens }: CompactionWays = {},
): Promise<readonly CompactionFigures[]> {
  const counter = gptTokenizerCounter({ encoding: "o200k_base" });
  const count = counter.countText.bind(counter);
  const theirs = needed.map((one): Kept => {
    return { ...one, text: one.summary, maxTokens: Infinity, ms: 0 };
  });
  const figures = [figuresOf("the agent's own summary", 1, theirs, count)];
  for (const share of shares) {
    for (const [way, write] of Object.entries(ways)) {
      const kept: Kept[] = [];
      for (const one of needed) {
        const maxTokens = Math.floor((ownTokens ?? count(one.summary)) * share);
        const asked = {
          entries: entriesOf(one.past),
          used: usedPaths(one.whole),
          before: one.before,
        };
        const start = process.cpuUsage();
        const text = await write({ ...asked, maxTokens, counter });
        const { user, system } = process.cpuUsage(start);
        kept.push({ ...one, text, maxTokens, ms: (user + system) / 1000 });
      }
      figures.push(figuresOf(way, share, kept, count));
    }
  }
  return figures;
}

function figuresOf(
  way: string,
  share: number,
  all: readonly Kept[],
  count: (text: string) => number,
): CompactionFigures {
  const pooled = <T>(
    wanted: (one: Kept) => readonly T[],
    has: (text: string, each: T) => boolean,
  ): number => {
    const total = all.reduce((sum, one) => sum + wanted(one).length, 0);
    const found = all.reduce(
      (sum, one) => sum + wanted(one).filter((each) => has(one.text, each)).length,
      0,
    );
    return found / Math.max(1, total);
  };
  const mean = (of: (one: Kept) => number): number =>
    all.reduce((sum, one) => sum + of(one), 0) / Math.max(1, all.length);
  return {
    way,
    share,
    files: pooled(
      ({ files }) => files,
      (text, file) => hasName(text, file.name),
    ),
    paths: pooled(({ standing }) => standing, hasPath),
    names: pooled(({ names }) => names, hasName),
    requests: pooled(
      ({ requests }) => requests,
      (text, request) => flat(text).includes(request),
    ),
    bareNumbers: mean(({ text }) => bareNumbers(text)),
    labelled: mean(({ text }) => labelled(text, count)),
    tokens: median(all.map(({ text }) => count(text))),
    overCap: all.filter(({ text, maxTokens }) => count(text) > maxTokens).length,
    medianMs: median(all.map(({ ms }) => ms)),
    compactions: all.length,
  };
}

function bareNumbers(text: string): number {
  const words = text.split(/\s+/);
  return words.filter((word) => /^\d+$/.test(word)).length / words.length;
}

/** A label is some words and a colon at the beginning of a line; a sentence begins with a capital and ends with a stop. */
function labelled(text: string, count: (text: string) => number): number {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*(?:[-*#>]+|\d+\.)\s*|\*\*|`/g, "").trim())
    .filter((line) => line !== "");
  const good = lines.filter(
    (line) =>
      /^[A-Z][\w ()./-]{1,80}: \S/.test(line) || /^["'(]?[A-Z].*\s.*[.!?]["')]?$/.test(line),
  );
  const all = lines.reduce((sum, line) => sum + count(line), 0);
  return good.reduce((sum, line) => sum + count(line), 0) / Math.max(1, all);
}

/** Draws what was found. */
export function compactionTable(
  figures: readonly CompactionFigures[],
  about = "Claude Code; every way has the given share of the tokens of the agent's own summary.",
): ResultTable {
  return {
    title: "Compaction: what recorded sessions needed afterwards",
    note: `${figures[0]?.compactions ?? 0} compactions, each with the work after it. Needed: files in the inputs of later calls and names of code in later searches and commands that had stood in the history before; the first 160 characters of what persons had typed. The extractive model is the same for all: sentences of the prompt with its most frequent words. ${about}`,
    head: [
      "way",
      "share of the tokens",
      "file names",
      "paths, of those that stood before",
      "names of code",
      "requests, word for word",
      "bare numbers, of the words",
      "in labelled lines or sentences",
      "tokens, median",
      "over the cap",
      "ms of CPU, median",
    ],
    rows: figures.map((one) => [
      one.way,
      percent(one.share),
      ...[one.files, one.paths, one.names, one.requests, one.bareNumbers, one.labelled].map(
        percent,
      ),
      `${one.tokens}`,
      `${one.overCap}`,
      milliseconds(one.medianMs),
    ]),
    figures,
  };
}
