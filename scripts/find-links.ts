import { fromMarkdown } from "mdast-util-from-markdown";

/** A link of a Markdown text. */
export interface MarkdownLink {
  readonly url: string;
  readonly text: string;
  /** What stands in quotes behind the address. */
  readonly title?: string;
  /** Counted from 1. */
  readonly line: number;
}

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>["children"][number];

/** Finds the links of a Markdown text, those in tables too, and none in code. */
export function findLinks(markdown: string): MarkdownLink[] {
  return linksOf(fromMarkdown(markdown));
}

/** Finds the inline code of a Markdown text. */
export function findInlineCode(markdown: string): string[] {
  return codeOf(fromMarkdown(markdown));
}

/** Finds what a link may name behind `#`: the headings, as GitHub writes them there. */
export function findAnchors(markdown: string): string[] {
  return fromMarkdown(markdown).children.flatMap((node) => {
    if (node.type !== "heading") return [];
    const words = textOf(node)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "");
    return [words.replaceAll(/\s/g, "-")];
  });
}

function linksOf(node: Node): MarkdownLink[] {
  if (node.type === "link") {
    const { url, title, position } = node;
    const link = { url, text: textOf(node), line: position?.start.line ?? 0 };
    return [typeof title === "string" ? { ...link, title } : link];
  }
  return "children" in node ? node.children.flatMap(linksOf) : [];
}

function codeOf(node: Node): string[] {
  if (node.type === "inlineCode") return [node.value];
  return "children" in node ? node.children.flatMap(codeOf) : [];
}

function textOf(node: Node): string {
  if ("children" in node) return node.children.map(textOf).join("");
  return "value" in node ? node.value : "";
}
