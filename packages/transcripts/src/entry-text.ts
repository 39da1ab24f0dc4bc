import type { HistoryEntry } from "@agent-history/core";
import { plainText } from "@agent-history/format-kit";

/** Returns all that an entry says as text, the arguments of its calls included, without the escapes of JSON. Thinking is left out. */
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
