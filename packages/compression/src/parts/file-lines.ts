import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import type { WeighedFact } from "../gate/internal/weigh-facts.ts";
import { chanceOfFile } from "./chance-of-return.ts";
import type { Traces } from "./chance-of-return.ts";
import { isFilePath } from "./file-ledger.ts";
import type { FileRecord } from "./file-ledger.ts";
import type { PathForms } from "./project-root.ts";
import type { SummaryItem, SummaryLine, SummaryPart } from "./summary-line.ts";

/** The files that calls changed and read, with their last state, and those that were only mentioned; the newest first. */
export function fileLines(
  ledger: readonly FileRecord[],
  facts: readonly WeighedFact[],
  { root, short }: PathForms,
  size: number,
): readonly SummaryLine[] {
  const traces = tracesOf(facts, short);
  const used = oneForEach(ledger, short);
  const fileItem = (file: FileRecord): SummaryItem => itemOf(file, traces.get(file.path), size);
  const below = root === "" ? "" : ` (below ${quoteData(root)})`;
  const changed = used.filter(({ isChanged }) => isChanged);
  const read = used.filter(({ isChanged }) => !isChanged);
  const lines = [
    line("changed", `Files changed${below}: `, changed.map(fileItem)),
    line("read", `Files read${changed.length === 0 ? below : ""}: `, read.map(fileItem)),
  ];
  const known = new Set(used.flatMap(({ path }) => endingsOf(path)));
  const elsewhere = mentioned(facts, known, short, (path) =>
    chanceOfFile(path, traces.get(path) ?? NO_TRACES, size),
  );
  return [
    ...lines,
    line("mentioned", "Files mentioned: ", elsewhere),
    line("others", "Other files: ", baseNames(elsewhere)),
  ];
}

/** One record for each file, under its shortest certain name; the newest first. */
function oneForEach(
  ledger: readonly FileRecord[],
  short: PathForms["short"],
): readonly FileRecord[] {
  const files = new Map<string, FileRecord>();
  for (const file of ledger) {
    const path = short(file.path);
    const known = files.get(path);
    files.delete(path);
    const isChanged = file.isChanged || known?.isChanged === true;
    files.set(path, {
      ...known,
      ...file,
      path,
      isChanged,
      count: file.count + (known?.count ?? 0),
    });
  }
  return [...files.values()].toSorted((one, other) => other.index - one.index);
}

function line(part: SummaryPart, head: string, items: readonly SummaryItem[]): SummaryLine {
  return { part, head, joint: " ", end: "", items };
}

function itemOf(file: FileRecord, traces: Traces = NO_TRACES, size: number): SummaryItem {
  const { path, state, count, index } = file;
  const text = quoteData(state === undefined ? path : `${path} (${state})`);
  const chance = chanceOfFile(path, traces, size, file);
  return { text, says: wordsOfText(path), worth: 3 + Math.log(count), index, chance };
}

const NO_TRACES: Traces = { entries: [], origins: new Set() };

/** Where each file is named, under all its names. */
function tracesOf(
  facts: readonly WeighedFact[],
  short: PathForms["short"],
): ReadonlyMap<string, Traces> {
  const found = new Map<string, Traces>();
  for (const { kind, text, entries, origins } of facts) {
    if (kind !== "path" && kind !== "file") continue;
    const path = short(text);
    const known = found.get(path) ?? NO_TRACES;
    found.set(path, {
      entries: [...new Set([...known.entries, ...entries])].toSorted((one, other) => one - other),
      origins: new Set([...known.origins, ...origins]),
    });
  }
  return found;
}

/** Files that stand anywhere else, under their shortest certain name, each once. */
function mentioned(
  facts: readonly WeighedFact[],
  known: ReadonlySet<string>,
  short: PathForms["short"],
  chanceOf: (path: string) => number,
): readonly SummaryItem[] {
  const found = new Map<string, SummaryItem>();
  const inPaths = new Set<string>();
  for (const { kind, text } of facts) {
    if (kind === "path") inPaths.add(text.slice(text.lastIndexOf("/") + 1));
  }
  for (const { kind, text, entries, weight } of facts) {
    if (kind !== "path" && kind !== "file") continue;
    const said = short(text);
    if (known.has(said) || !isFilePath(said)) continue;
    if (kind === "file" && inPaths.has(text)) continue;
    const index = entries.at(-1) ?? 0;
    const says = wordsOfText(said);
    const chance = chanceOf(said);
    found.set(said, { text: quoteData(said), says, worth: weight, index, chance });
  }
  return [...found.values()].toSorted((one, other) => other.index - one.index);
}

/** A path and what of it others may name alone: from any folder in it. */
function endingsOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(index).join("/"));
}

/** Files by their last part alone, each once: for those whose whole path has no room. */
function baseNames(files: readonly SummaryItem[]): readonly SummaryItem[] {
  const found = new Map<string, SummaryItem>();
  for (const file of files) {
    const text = file.text.slice(file.text.lastIndexOf("/") + 1);
    if (!found.has(text)) found.set(text, { ...file, text, says: new Set([text]), worth: 0 });
  }
  return [...found.values()];
}
