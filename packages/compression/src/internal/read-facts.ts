import type { Concept } from "@agent-history/core";
import * as z from "zod";

/** The facts of each concept, by its keyword. */
export type FactsByKeyword = ReadonlyMap<string, readonly string[]>;

const FACTS: z.ZodType<{ readonly facts: readonly unknown[] }> = z.object({
  facts: z.array(z.unknown()),
});
const CONCEPT_FACTS: z.ZodType<{ readonly keyword: string; readonly facts: readonly string[] }> =
  z.object({ keyword: z.string(), facts: z.array(z.string()) });

/** Reads the answer to a request for facts: what is well formed, and what is wrong with the rest, in words for the model. */
export function readFacts(
  answer: string,
  concepts: readonly Concept[],
): { readonly found: FactsByKeyword; readonly problem?: string } {
  const found = new Map<string, readonly string[]>();
  const outer = FACTS.safeParse(parseJson(answer));
  if (!outer.success) return { found, problem: `it was no JSON as asked: ${say(outer.error)}` };
  const problems: string[] = [];
  for (const [index, value] of outer.data.facts.entries()) {
    const inner = CONCEPT_FACTS.safeParse(value);
    const keyword = inner.data?.keyword ?? "";
    const concept = concepts.find((one) => one.keyword === keyword);
    if (!inner.success) problems.push(`facts.${index}: ${say(inner.error)}`);
    else if (concept === undefined) problems.push(`facts.${index}: no such keyword`);
    else found.set(keyword, [...(found.get(keyword) ?? []), ...tidy(inner.data.facts)]);
  }
  if (problems.length === 0) return { found };
  return { found, problem: `it was not as asked: ${problems.slice(0, 5).join("; ")}` };
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

/** Paths and expectations alone: what a model wrote is not repeated. */
function say(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map(({ path, code }) => `${path.join(".") || "all of it"} ${code}`)
    .join(", ");
}
