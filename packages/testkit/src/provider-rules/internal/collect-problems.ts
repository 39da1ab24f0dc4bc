import type { ProviderProblem } from "../provider-problem.ts";

/** Gathers problems in the order in which they were found. */
export interface Problems {
  readonly found: ProviderProblem[];
  readonly add: (rule: string, index: number) => void;
}

/** Begins with the one problem that has no message to show at. */
export function collectProblems(messages: readonly unknown[]): Problems {
  const found: ProviderProblem[] = messages.length === 0 ? [{ rule: "no-message", index: 0 }] : [];
  return { found, add: (rule, index) => void found.push({ rule, index }) };
}

/** Adds a problem where a list holds an id twice. */
export function addDoubled(ids: readonly string[], index: number, { add }: Problems): void {
  if (new Set(ids).size < ids.length) add("duplicate-call-id", index);
}
