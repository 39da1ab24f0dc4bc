import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import type { WeighedFact } from "../gate/internal/weigh-facts.ts";
import { isFilePath } from "./file-ledger.ts";
import type { FileRecord } from "./file-ledger.ts";
import type { PathForms } from "./project-root.ts";
import type { SummaryItem, SummaryLine, SummaryPart } from "./summary-line.ts";

/** The files that calls changed and read, with their last state, and those that were only mentioned; the newest first. */
export function fileLines(
  ledger: readonly FileRecord[],
  facts: readonly WeighedFact[],
  { root, short }: PathForms,
): readonly SummaryLine[] {
  const used = oneForEach(ledger, short);
  const below = root === "" ? "" : ` (below ${quoteData(root)})`;
  const changed = used.filter(({ isChanged }) => isChanged);
  const read = used.filter(({ isChanged }) => !isChanged);
  const lines = [
    line("changed", `Files changed${below}: `, changed.map(fileItem)),
    line("read", `Files read${changed.length === 0 ? below : ""}: `, read.map(fileItem)),
  ];
  const known = new Set(used.flatMap(({ path }) => endingsOf(path)));
  const elsewhere = mentioned(facts, known, short);
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
  return [...files.values()].toSorted((one, other) => other.place - one.place);
}

function line(part: SummaryPart, head: string, items: readonly SummaryItem[]): SummaryLine {
  return { part, head, joint: ", ", end: "", items };
}

function fileItem({ path, state, count, place }: FileRecord): SummaryItem {
  const text = quoteData(state === undefined ? path : `${path} (${state})`);
  return { text, says: wordsOfText(path), worth: 3 + Math.log(count), place };
}

/** Files that stand anywhere else, under their shortest certain name, each once. */
function mentioned(
  facts: readonly WeighedFact[],
  known: ReadonlySet<string>,
  short: PathForms["short"],
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
    const place = entries.at(-1) ?? 0;
    found.set(said, { text: quoteData(said), says: wordsOfText(said), worth: weight, place });
  }
  return [...found.values()].toSorted((one, other) => other.place - one.place);
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
