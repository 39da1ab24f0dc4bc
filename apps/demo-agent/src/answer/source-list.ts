import type { Source } from "@agent-history/core";
import { readSourceUri } from "@agent-history/offline-model";

/** Lists where each cited number can be opened, as the tools gave it and not as a model may have written it; empty without citations. */
export function sourceList(
  cited: readonly number[],
  find: (number: number) => Source | undefined,
): string {
  if (cited.length === 0) return "";
  const lines = cited.map((number) => `[source${number}] ${location(find(number))}`);
  return `\n\nSources\n${lines.join("\n")}`;
}

function location(source: Source | undefined): string {
  const found = readSourceUri(source?.uri ?? "");
  if (found === undefined) return "(no such source was found)";
  return `${found.path}:${found.startLine}-${found.endLine}`;
}
