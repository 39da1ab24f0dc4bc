import type { ToolCall } from "@agent-history/core";

const LONGEST_ARGUMENTS = 20_000;
const LONGEST_VALUE = 60;
const MOST_VALUES = 16;
const DEEPEST = 4;

/** Says what a call asked for: `called get_user with user_id ann_1.` Values that are long or have several lines are left out. */
export function callClause({
  name,
  arguments: text,
}: Pick<ToolCall, "name" | "arguments">): string {
  const values: string[] = [];
  if (text.length <= LONGEST_ARGUMENTS) addValues(values, "", parsed(text), 0);
  return values.length === 0 ? `called ${name}.` : `called ${name} with ${values.join(", ")}.`;
}

/** Adds values with their names before them; those of a list stand one after another. */
function addValues(values: string[], name: string, value: unknown, depth: number): void {
  if (values.length >= MOST_VALUES || depth > DEEPEST) return;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    const plain = plainValue(String(value));
    if (plain !== undefined) values.push(name === "" ? plain : `${name} ${plain}`);
  } else if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      addValues(values, index === 0 ? name : "", each, depth + 1);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, each] of Object.entries(value)) addValues(values, key, each, depth + 1);
  }
}

function plainValue(text: string): string | undefined {
  if (text === "" || text.length > LONGEST_VALUE || /\p{Cc}/u.test(text)) return undefined;
  return /^[\w.,/@:$€£+%-]+$/.test(text) ? text : JSON.stringify(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
