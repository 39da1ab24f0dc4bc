import type { HistoryEntry } from "@agent-history/core";
import { plainText } from "@agent-history/format-kit";

/** Returns the whole text of an entry, including call arguments, without JSON escapes. Reasoning is left out. */
export function entryText(entry: HistoryEntry): string {
  const content = "content" in entry ? entry.content : undefined;
  const said = content === undefined ? "" : plainText(content);
  if (entry.type !== "action") return said;
  return [said, ...entry.toolCalls.map((call) => unescaped(call.arguments))].join("\n");
}

function unescaped(json: string): string {
  return json
    .replaceAll(String.raw`\"`, '"')
    .replaceAll(String.raw`\n`, "\n")
    .replaceAll(String.raw`\\`, "\\");
}
