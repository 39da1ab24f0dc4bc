import type { PublicEntry } from "../workspace-packages.ts";

/** Returns the source of an ES module that imports every entry. */
export function importAll(entries: readonly PublicEntry[]): string {
  return entries.map(({ name }, index) => `export * as entry${index} from "${name}";`).join("\n");
}

/** Returns the source of a CommonJS module that requires every entry. */
export function requireAll(entries: readonly PublicEntry[]): string {
  const lines = entries.map(({ name }, index) => `import entry${index} = require("${name}");`);
  const names = entries.map((_, index) => `entry${index}`);
  return [...lines, `export const all: object[] = [${names.join(", ")}];`].join("\n");
}

/** Returns the lines of a compiler that are errors in the project or in one of our packages; peers have their own. */
export function ownErrors(output: string): string[] {
  return output
    .split("\n")
    .filter((line) => /error TS/.test(line))
    .filter((line) => !/^node_modules\/(?!(?:@agent-history\/|agent-history\/))/.test(line));
}
