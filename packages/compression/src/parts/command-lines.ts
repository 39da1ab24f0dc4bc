import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import { commandOf, withoutHeredocs } from "./argument-values.ts";
import type { ReadCall } from "./read-calls.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

const LONGEST_COMMAND = 110;
/** What checks the work says where it stands. */
const CHECKS =
  /\b(?:test|tests|check|lint|build|tsc|vet|pytest|typecheck|compile|commit|push|merge)\b/;

/** The commands that were run, each once with its last outcome, in the order of their last run. Linear. */
export function commandLines(calls: readonly ReadCall[], size: number): readonly SummaryLine[] {
  const last = new Map<string, ReadCall>();
  for (const call of calls) {
    const command = commandOf(call.args);
    const text = command === undefined ? "" : shortCommand(command);
    if (text === "") continue;
    last.delete(text);
    last.set(text, call);
  }
  const items = [...last].map(([text, { outcome, index }]): SummaryItem => {
    const failed = outcome !== undefined && outcome !== "success";
    const age = (size - index) / Math.max(1, size);
    const isCheck = CHECKS.test(text);
    return {
      text: `${quoteData(text)}${failed ? ` (${OUTCOMES[outcome]})` : isCheck ? " (ok)" : ""}`,
      says: wordsOfText(text),
      worth: 0.5 + (isCheck ? 1 : 0) + (failed ? 1 : 0) + (age < NEW ? 2 : 0) - age / 2,
      index,
    };
  });
  return [{ part: "commands", head: "Commands run: ", joint: "; ", end: ".", items }];
}

const NEW = 0.1;
const OUTCOMES = { error: "failed", denied: "denied", cancelled: "cancelled" } as const;

/** The first line of a command without the texts in it and without the change of folder before it. */
function shortCommand(command: string): string {
  const plain = withoutHeredocs(command)
    .trim()
    .replace(/^cd\s+[^\s;&]{1,300}\s*(?:&&|;)\s*/, "");
  const line = plain.split("\n", 1)[0]?.trim() ?? "";
  return line.length <= LONGEST_COMMAND ? line : `${line.slice(0, LONGEST_COMMAND).trimEnd()}…`;
}
