import type { Concept } from "@agent-history/core";

import type { FactsByKeyword } from "./read-facts.ts";
import { isStatus } from "./render-facts.ts";

/** Reads back what `renderFacts` wrote: the facts of known concepts, and all other lines. */
export function parseFacts(
  text: string,
  concepts: readonly Concept[],
): { readonly found: FactsByKeyword; readonly rest: string } {
  const heads = new Set(concepts.map(({ keyword }) => `${keyword}:`));
  const found = new Map<string, string[]>();
  const rest: string[] = [];
  let keyword: string | undefined;
  for (const line of text.split("\n")) {
    if (heads.has(line)) keyword = line.slice(0, -1);
    else if (keyword !== undefined && line.startsWith("- ")) {
      found.set(keyword, [...(found.get(keyword) ?? []), line.slice(2)]);
    } else {
      keyword = undefined;
      if (!isStatus(line)) rest.push(line);
    }
  }
  return { found, rest: rest.join("\n").trim() };
}
