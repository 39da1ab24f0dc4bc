import { recordedFacts } from "./recorded-facts.ts";

type Pair = readonly [string, string];

/** Pairs of wanted facts that stand together in a text: in one sentence of prose, or in one object of JSON. */
export function relatedPairs(texts: readonly string[], wanted: readonly string[]): readonly Pair[] {
  const isWanted = new Set(wanted);
  const pairs = new Map<string, Pair>();
  for (const unit of texts.flatMap(unitsOf)) {
    const facts = [...recordedFacts(unit)].filter((fact) => isWanted.has(fact)).toSorted();
    for (const pair of pairsOf(facts)) pairs.set(JSON.stringify(pair), pair);
  }
  return [...pairs.values()];
}

/** A part of the other says nothing new beside it. */
function pairsOf(facts: readonly string[]): readonly Pair[] {
  return facts.flatMap((one, index) =>
    facts
      .slice(index + 1)
      .filter((other) => !one.includes(other) && !other.includes(one))
      .map((other): Pair => [one, other]),
  );
}

/** The pairs that stand together in a summary: in one sentence, or in one line that tells of one thing. */
export function keptPairs(summary: string, pairs: readonly Pair[]): number {
  const lines = summary
    .split("\n")
    .filter((line) => !/^(?:Also|Names|Files|Commands)\b/.test(line));
  const units = lines.flatMap(sentencesOf).filter(isToldInWords).map(recordedFacts);
  return pairs.filter(([one, other]) => units.some((unit) => unit.has(one) && unit.has(other)))
    .length;
}

/** A list of bare facts relates nothing. */
function isToldInWords(unit: string): boolean {
  return (unit.match(/(?<!\S)["'(]?[A-Za-z][a-z]+(?![\w/])/g) ?? []).length >= 3;
}

function unitsOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const data = /^\s*[[{]/.test(line) ? parsed(line) : undefined;
    return data === undefined ? sentencesOf(line) : objectsIn(data);
  });
}

function sentencesOf(line: string): readonly string[] {
  return line.split(/(?<=[.!?]["')\]*`]{0,3})\s+(?=["'(*`]{0,3}[A-Z])/);
}

/** The values of each object, without what objects in it say. */
function objectsIn(data: unknown): readonly string[] {
  if (typeof data !== "object" || data === null) return [];
  const values = Object.values(data);
  const own = values.filter((value) => typeof value !== "object").map(String);
  const lists = values
    .filter(Array.isArray)
    .flat()
    .filter((value) => typeof value !== "object");
  return [[...own, ...lists].join(" ; "), ...values.flatMap(objectsIn)];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
