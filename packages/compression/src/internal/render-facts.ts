import type { FactsByKeyword } from "./read-facts.ts";
import type { WriterRequest } from "./summary-writer.ts";

/** Writes facts by concept, as many as fit the cap, and a line that says what they stand for. Empty where there are none. */
export function renderFacts(
  facts: FactsByKeyword,
  { concepts = [], covered, maxTokens, counter }: WriterRequest,
): string {
  const status = statusOf(covered);
  const chosen = new Map<string, string[]>();
  const heads = new Set<string>();
  let left = maxTokens - counter.countText(status) - 2;
  let longest = 0;
  for (const { length } of facts.values()) longest = Math.max(longest, length);
  // One of each concept after the other, so that a concept with many facts leaves room for the next.
  for (let round = 0; round < longest; round++) {
    for (const { keyword } of concepts) {
      const fact = facts.get(keyword)?.[round];
      if (fact === undefined) continue;
      const head = heads.has(keyword) ? "" : `${keyword}:\n`;
      const tokens = counter.countText(`${head}- ${fact}\n`) + 1;
      if (tokens > left) continue;
      left -= tokens;
      heads.add(keyword);
      chosen.set(keyword, [...(chosen.get(keyword) ?? []), fact]);
    }
  }
  if (chosen.size === 0) return "";
  const blocks = concepts.flatMap(({ keyword }) => {
    const list = chosen.get(keyword);
    return list === undefined ? [] : [`${keyword}:`, ...list.map((fact) => `- ${fact}`)];
  });
  return [...blocks, status].join("\n");
}

const STATUS = "These facts stand";

/** Returns whether a line is the one that `renderFacts` ends with. */
export function isStatus(line: string): boolean {
  return line.startsWith(`${STATUS} for `);
}

function statusOf(covered: WriterRequest["covered"]): string {
  const calls = covered.reduce(
    (sum, entry) => sum + (entry.type === "action" ? entry.toolCalls.length : 0),
    0,
  );
  return `${STATUS} for ${covered.length} earlier entries with ${calls} tool calls; what was in progress may not be among them.`;
}
