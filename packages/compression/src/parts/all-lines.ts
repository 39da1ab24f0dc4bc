import { commandOf } from "./argument-values.ts";
import { commandLines } from "./command-lines.ts";
import type { Composition } from "./composition.ts";
import { earlierLines } from "./earlier-lines.ts";
import { failureLines } from "./failure-lines.ts";
import { fileLedger, fileUses } from "./file-ledger.ts";
import { fileLines } from "./file-lines.ts";
import { madeLines } from "./made-lines.ts";
import { nameLines } from "./name-lines.ts";
import { openLines } from "./open-lines.ts";
import { pathForms } from "./project-root.ts";
import { proseLines } from "./prose-lines.ts";
import { readCalls } from "./read-calls.ts";
import { callLines, recordLines } from "./record-lines.ts";
import type { SummaryLine } from "./summary-line.ts";
import { userWords } from "./user-words.ts";
import { wordLines } from "./word-lines.ts";

/** All lines that there are to choose from. */
export function linesOf({
  entries,
  facts,
  previous,
  maxTokens,
}: Composition): readonly SummaryLine[] {
  const calls = readCalls(entries);
  const size = entries.length;
  const ledger = fileLedger(calls);
  const forms = pathForms(
    ledger.map(({ path }) => path),
    facts.flatMap(({ kind, text }) => (kind === "path" ? [text] : [])),
  );
  const weights = new Map(facts.map(({ text, weight }) => [text, weight]));
  const files = new Set<number>();
  const outputs = new Set<number>();
  for (const call of calls) {
    if (call.resultIndex === undefined) continue;
    if (commandOf(call.args) !== undefined) outputs.add(call.resultIndex);
    else if (fileUses(call).length > 0) files.add(call.resultIndex);
  }
  const told = [
    ...earlierLines(previous),
    ...userWords(entries),
    ...openLines(calls, facts),
    ...fileLines(ledger, facts, forms, size),
    ...commandLines(calls, size),
    ...madeLines(facts),
    ...failureLines(facts, size, files),
    ...recordLines(calls),
    ...callLines(calls),
    ...proseLines(entries, (text) => weights.get(text) ?? 0, new Set([...files, ...outputs])),
    ...nameLines(facts, calls, { size, maxTokens }),
  ];
  return [
    ...told,
    ...wordLines(facts, {
      mayCount: maxTokens === Infinity || isOnData(told) || /^Also: /m.test(previous),
      mayName: maxTokens === Infinity,
    }),
  ].filter(({ items }) => items.length > 0);
}

/** Whether the work is on data, and not on files. */
export function isOnData(lines: readonly SummaryLine[]): boolean {
  const used = lines.filter(({ part }) => part === "changed" || part === "read");
  return (
    lines.filter(({ isRecord }) => isRecord).length >
    used.reduce((sum, { items }) => sum + items.length, 0)
  );
}
