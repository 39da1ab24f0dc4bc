import type { Concept } from "@agent-history/core";

import type { FactsByKeyword } from "./fact-parts.ts";

/** Reads the answer to a request for facts: what is well formed, and what is wrong with the rest, in words for the model. */
export function readFacts(
  answer: string,
  concepts: readonly Concept[],
): { readonly found: FactsByKeyword; readonly problem?: string } {
  const found = new Map<string, readonly string[]>();
  const outer = fieldsOf(parseJson(answer));
  const all = outer?.["facts"];
  if (!Array.isArray(all)) {
    const location = outer === undefined ? WHOLE : "facts";
    return { found, problem: `it was no JSON as asked: ${location} ${WRONG}` };
  }
  const problems: string[] = [];
  for (const [index, value] of all.entries()) {
    const read = readConcept(value);
    if ("wrong" in read) {
      problems.push(`facts.${index}: ${read.wrong.map((where) => `${where} ${WRONG}`).join(", ")}`);
      continue;
    }
    const { keyword, facts } = read;
    if (!concepts.some((one) => one.keyword === keyword)) {
      problems.push(`facts.${index}: no such keyword`);
    } else found.set(keyword, [...(found.get(keyword) ?? []), ...tidy(facts)]);
  }
  if (problems.length === 0) return { found };
  return { found, problem: `it was not as asked: ${problems.slice(0, 5).join("; ")}` };
}

const WHOLE = "all of it";
const WRONG = "invalid_type";

type ConceptFacts =
  | { readonly keyword: string; readonly facts: readonly string[] }
  /** The first places that are not as asked. What a model wrote there is not repeated. */
  | { readonly wrong: readonly string[] };

function readConcept(value: unknown): ConceptFacts {
  const fields = fieldsOf(value);
  if (fields === undefined) return { wrong: [WHOLE] };
  const { keyword, facts } = fields;
  const items: readonly unknown[] | undefined = Array.isArray(facts) ? facts : undefined;
  const wrong = [
    ...(typeof keyword === "string" ? [] : ["keyword"]),
    ...(items?.flatMap((fact, index) => (typeof fact === "string" ? [] : `facts.${index}`)) ?? [
      "facts",
    ]),
  ];
  if (typeof keyword !== "string" || items === undefined || wrong.length > 0)
    return { wrong: wrong.slice(0, 3) };
  return { keyword, facts: items.filter((fact) => typeof fact === "string") };
}

function fieldsOf(value: unknown): { readonly [key: string]: unknown } | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : undefined;
}

/** The JSON of an answer, which may stand in a fence or behind a preface. */
function parseJson(answer: string): unknown {
  const start = answer.indexOf("{");
  const end = answer.lastIndexOf("}");
  try {
    return JSON.parse(answer.slice(start, end + 1));
  } catch {
    return undefined;
  }
}

function tidy(facts: readonly string[]): readonly string[] {
  return facts.map((fact) => fact.replace(/\s+/g, " ").trim()).filter((fact) => fact !== "");
}
