/** A value of a call's arguments, and the key that it stands under. */
export interface ArgumentValue {
  readonly key: string;
  readonly value: string;
}

const DEEPEST = 4;
const MOST_VALUES = 200;

/** The texts in a call's arguments, each with its key; those of a list have the key of the list. */
export function argumentTexts(args: unknown): readonly ArgumentValue[] {
  const found: ArgumentValue[] = [];
  const visit = (key: string, value: unknown, depth: number): void => {
    if (found.length >= MOST_VALUES || depth > DEEPEST) return;
    if (typeof value === "string") found.push({ key, value });
    else if (Array.isArray(value)) for (const each of value) visit(key, each, depth + 1);
    else if (typeof value === "object" && value !== null) {
      for (const [name, each] of Object.entries(value)) visit(name, each, depth + 1);
    }
  };
  visit("", args, 0);
  return found;
}

const COMMAND_KEY = /^(?:command|cmd|script|shell|bash|commands)$/i;

/** The command line that a call runs, where it runs one. */
export function commandOf(args: unknown): string | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  for (const [key, value] of Object.entries(args)) {
    if (!COMMAND_KEY.test(key)) continue;
    if (typeof value === "string") return value;
    // `["bash", "-lc", "make test"]`: the last is what the shell reads.
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
      return value.length === 3 && /^-\w*c$/.test(value[1] ?? "") ? value[2] : value.join(" ");
    }
  }
  return undefined;
}

const HEREDOC = /<<-?\s*['"]?(\w{1,40})['"]?[^\n]*\n[\s\S]*?(?:\n\s*\1\b|$)/g;

/** A command line without the texts that are written into it. */
export function withoutHeredocs(command: string): string {
  return command.length > 20_000 ? command.slice(0, 2000) : command.replace(HEREDOC, " ");
}
