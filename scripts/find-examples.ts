import { fromMarkdown } from "mdast-util-from-markdown";
import { parseSync } from "oxc-parser";

/** A `ts` fence of the documentation. */
export interface Example {
  readonly file: string;
  /** The line of the file on which the code begins, counted from 1. */
  readonly line: number;
  readonly code: string;
  /** False for a fence marked `ts no-run`: it is compiled only. */
  readonly run: boolean;
}

/** Finds the `ts` fences of a Markdown file, or of the doc comments of a TypeScript file. */
export function findExamples(file: string, text: string): Example[] {
  const pages = file.endsWith(".md") ? [{ line: 1, text }] : docComments(file, text);
  return pages.flatMap((page) =>
    findFences(page.text)
      .filter(({ lang }) => lang === "ts")
      .map(({ meta, value, position }) => ({
        file,
        // The position is the fence's own; its code begins one line below.
        line: page.line + (position?.start.line ?? 0),
        code: value,
        run: !/\bno-run\b/.test(meta ?? ""),
      })),
  );
}

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>["children"][number];
type Fence = Extract<Node, { readonly type: "code" }>;

/** Finds the fences of a Markdown text, in order. */
export function findFences(text: string): Fence[] {
  // A fence stands in blocks only: quotes, lists and their items.
  const fencesOf = (node: Node): Fence[] => {
    if (node.type === "code") return [node];
    return "children" in node ? (node.children as Node[]).flatMap(fencesOf) : [];
  };
  return fencesOf(fromMarkdown(text));
}

function docComments(file: string, text: string): { line: number; text: string }[] {
  return parseSync(file, text)
    .comments.filter((comment) => comment.type === "Block" && comment.value.startsWith("*"))
    .map((comment) => ({
      line: lineAt(text, comment.start),
      text: comment.value
        .slice(1)
        .split("\n")
        .map((line) => line.replace(/^\s*\* ?/, ""))
        .join("\n"),
    }));
}

/** Names a line of an example, counted from 1, as an editor opens it: `README.md:12`. */
export function indexIn(example: Example, line: number): string {
  return `${example.file}:${example.line + line - 1}`;
}

/** Returns the line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
