import type { FactKind } from "../../facts/fact.ts";

/** Whether a fact of a kind is a whole sentence or line. */
export function isSentenceKind(kind: FactKind): boolean {
  return kind === "question" || kind === "decision" || kind === "error" || kind === "command";
}
