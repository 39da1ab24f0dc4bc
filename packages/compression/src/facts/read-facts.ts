import type { Concept } from "@agent-history/core";

import type { FactsByKeyword } from "./fact-parts.ts";

/** Reads the answer to a request for facts: what is well formed, and what is wrong with the rest, in words for the model. */
export function readFacts(
  answer: string,
  concepts: readonly Concept[],
): { readonly found: FactsByKeyword; readonly problem?: string } {
  const found = new Map<string, readonly string[]>();
  const all = fieldsOf(parseJson(answer))?.["facts"];
  if (!Array.isArray(all)) {
    return { found, problem: "it was no JSON as asked, with a list of `facts`" };
  }
  const problems = all.flatMap((value: unknown, index): readonly string[] => {
    const { keyword, facts } = fieldsOf(value) ?? {};
    const isKnown = concepts.some((one) => one.keyword === keyword);
    if (typeof keyword !== "string" || !isKnown) return [`facts.${index}: no such keyword`];
    const texts: readonly unknown[] = Array.isArray(facts) ? facts : [undefined];
    const good = texts.filter((fact) => typeof fact === "string");
    if (good.length < texts.length) return [`facts.${index}.facts: no list of texts`];
    const tidy = good.map((fact) => fact.replace(/\s+/g, " ").trim()).filter(Boolean);
    found.set(keyword, [...(found.get(keyword) ?? []), ...tidy]);
    return [];
  });
  if (problems.length === 0) return { found };
  return { found, problem: `it was not as asked: ${problems.slice(0, 5).join("; ")}` };
}

function fieldsOf(value: unknown): { readonly [key: string]: unknown } | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : undefined;
}

/** The JSON of an answer, which may stand in a fence or behind a preface. */
function parseJson(answer: string): unknown {
  try {
    return JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}
