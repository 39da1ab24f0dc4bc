import { parseSync } from "oxc-parser";

/** A word or phrase that engineers of this field neither use nor search for. */
export interface OddWord {
  /** Counted from 1. */
  readonly line: number;
  readonly word: string;
  /** What to write instead. */
  readonly write: string;
}

/** Patterns have no flags; case is ignored. */
const dialect: readonly (readonly [pattern: string, write: string])[] = [
  [String.raw`\banew\b`, "again, from scratch, stateless"],
  [String.raw`\bmend(?:s|ed|ing)?\b`, "repair"],
  [String.raw`\btold of\b`, "reported, notified"],
  [String.raw`\b(?:is|are) told\b(?! why| that)`, "is called with, receives"],
  [String.raw`\bhand(?:s|ed|ing)? (?:it |them |this |that )?in\b`, "pass"],
  [String.raw`\blet ?go\b`, "dropped"],
  [
    String.raw`\b(?:summar|token|recogn|serial|normal|linear|organ|initial|optim)is(?:e[ds]?|ers?|ing|ation)\b`,
    "US spelling: -ize",
  ],
  [String.raw`\b(?:behavi|col|neighb|hon|fav)our`, "US spelling: -or"],
  [String.raw`\bg(?:ive|ives|ave|iving) way\b`, "is reduced, is dropped"],
  [String.raw`\b(?:bear|bears|bearing)\b`, "has, carries"],
  [String.raw`\bg(?:o|oes|oing|one) on (?:with|from)\b`, "continues"],
  [String.raw`\bin (?:the |its |their )?place of\b`, "instead of, replaces"],
  [String.raw`\bin (?:its|their) place\b`, "instead, as a replacement"],
  [String.raw`\bplan kept\b`, "incremental"],
  [String.raw`\bits kin\b`, "related types"],
  [String.raw`\bfor ever\b`, "permanently, without a limit"],
  [String.raw`\bso many\b`, "that many, n"],
  [String.raw`\bfor want of\b`, "did not fit"],
  [String.raw`\bmildest\b`, "least destructive"],
  [String.raw`\bthere and back\b`, "round trip"],
  [String.raw`\bno count\b`, "not a non-negative integer or Infinity"],
  [String.raw`\b(?:that|which) is no (?!longer)`, "is not a"],
  [String.raw`\bof one['’]s own\b`, "custom, your own"],
  [String.raw`\bt(?:old|ells?|elling) (?:\w+ )?apart\b`, "distinguish"],
  [String.raw`\bsound\b`, "valid"],
  [String.raw`\bin the midst\b`, "in the middle, during"],
  [String.raw`\bt(?:akes?|aken|aking) back\b`, "undo"],
  [String.raw`\bas it comes\b`, "with default options"],
  [String.raw`\bat hand\b`, "available"],
  [String.raw`\breckon`, "plan for, count"],
  [String.raw`\bnowhere\b`, "none, not set"],
  [String.raw`\baffair\b`, "responsibility"],
  [String.raw`\bdearer\b`, "more expensive"],
  [String.raw`\bfarther\b`, "further"],
  [String.raw`\bwhat does not pay\b`, "what would not save tokens"],
  [String.raw`\banswered with no\b`, "denied"],
];
const oddWord = new RegExp(dialect.map(([pattern]) => `(${pattern})`).join("|"), "gi");

/** Finds words of {@link dialect} in a Markdown text, except in code and addresses. */
export function findOddWords(markdown: string): OddWord[] {
  const prose = withoutCode(markdown);
  return [...prose.matchAll(oddWord)].map((match) => {
    const index = match.slice(1).findIndex((group) => group !== undefined);
    const line = prose.slice(0, match.index).split("\n").length;
    return { line, word: match[0], write: dialect[index]?.[1] ?? "" };
  });
}

/** Finds them in what a reader of the documentation or of an output sees of a source file: its doc comments, and texts of several words. */
export function findOddWordsOfSource(file: string, source: string): OddWord[] {
  const { comments, program } = parseSync(file, source);
  const docs = comments
    .filter(({ type, value }) => type === "Block" && value.startsWith("*"))
    .map(({ start, value }) => ({ start, text: value.replaceAll(/^\s*\*/gm, "") }));
  return [...docs, ...textsOf(program)].flatMap(({ start, text }) => {
    const above = source.slice(0, start).split("\n").length - 1;
    return findOddWords(text).map((word) => ({ ...word, line: word.line + above }));
  });
}

/** Names the patterns that a text lacks, case and line breaks ignored. */
export function findMissingWords(text: string, wanted: readonly string[]): string[] {
  const line = text.replaceAll(/\s+/g, " ");
  return wanted.filter((pattern) => !new RegExp(pattern, "i").test(line));
}

/** Code, addresses and the titles of links become spaces; lines stay. */
function withoutCode(markdown: string): string {
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ");
  return markdown
    .replaceAll(/^ *(`{3,})[^]*?^ *\1/gm, blank)
    .replaceAll(/(`+)[^`][^]*?\1/g, blank)
    .replaceAll(/\{@link [^}]*\}/g, blank)
    .replaceAll(/\]\([^)\s]*(?:\s+"[^"]*")?\)/g, blank);
}

/** String literals and pieces of templates with a space: what is shown to people is a sentence. */
function textsOf(node: unknown): { start: number; text: string }[] {
  if (typeof node !== "object" || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(textsOf);
  if ("type" in node && "start" in node && typeof node.start === "number" && "value" in node) {
    const text = textOf(node.type, node.value);
    if (text !== undefined) return /\S\s+\S/.test(text) ? [{ start: node.start, text }] : [];
  }
  return Object.values(node).flatMap(textsOf);
}

function textOf(type: unknown, value: unknown): string | undefined {
  if (type === "Literal") return typeof value === "string" ? value : undefined;
  if (type !== "TemplateElement" || typeof value !== "object" || value === null) return undefined;
  return "cooked" in value && typeof value.cooked === "string" ? value.cooked : undefined;
}
