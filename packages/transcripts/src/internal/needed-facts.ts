import type { HistoryEntry, ToolCall } from "@agent-history/core";
import { plainText, textOf } from "@agent-history/format-kit";

import { callCommand, callInput, bareCommand } from "../called-files.ts";

/** Names of code that a call looks for: in the pattern of a search or in a command; no paths. */
export function searchedNames(call: ToolCall): readonly string[] {
  return searchText(call)
    .split(/[\s'"`;|&<>]+/)
    .filter((word) => !word.includes("/"))
    .flatMap((word) => word.match(/[A-Za-z_]\w{5,}/g) ?? [])
    .filter((word) => /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/.test(word));
}

/** What a call looks for: the pattern of a search, or the command of a shell. */
export function searchText(call: ToolCall): string {
  if (!/grep|search/i.test(call.name)) return bareCommand(callCommand(call));
  return textOf(callInput(call)["pattern"]) ?? "";
}

/** Numbers of at least three digits that stand for themselves. */
export function numbersIn(text: string): readonly string[] {
  return text.match(/(?<![\w.-])\d{3,12}(?![\w-])/g) ?? [];
}

/** The first line that says what failed, of a failed result. */
export function errorLine(entry: HistoryEntry): string | undefined {
  if (entry.type !== "observation" || entry.outcome !== "error") return undefined;
  const lines = plainText(entry.content).slice(0, 4000).split("\n");
  const words = lines.map((line) => line.trim()).filter((line) => line.length >= 12);
  const told = words.find((line) =>
    /error|fail|cannot|not found|denied|invalid|undefined/i.test(line),
  );
  return (told ?? words[0])?.slice(0, 160);
}
