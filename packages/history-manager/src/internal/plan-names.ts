import type { PromptState } from "./prompt-state.ts";

/** What stands between two names; a name that has it itself is not joined. */
const BETWEEN = "\n";

/**
 * The form in which a state is stored: the names of what a plan keeps in one text. There are as many as the window has entries, and a text is written, read
 * and checked at once. A state whose names cannot be joined stays as it is.
 */
export function joinNames(state: PromptState): unknown {
  const { hashes } = state.plan;
  const joined = hashes.join(BETWEEN);
  const isLossless = joined !== "" && namesIn(joined).length === hashes.length;
  return isLossless ? { ...state, plan: { ...state.plan, hashes: joined } } : state;
}

/** Gives a stored state the names of its plan back, one by one. What has another form is left as it is. */
export function splitNames(stored: unknown): unknown {
  if (!isRecord(stored) || !isRecord(stored["plan"])) return stored;
  const { hashes } = stored["plan"];
  if (typeof hashes !== "string") return stored;
  return { ...stored, plan: { ...stored["plan"], hashes: namesIn(hashes) } };
}

function namesIn(joined: string): readonly string[] {
  return joined.split(BETWEEN);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
