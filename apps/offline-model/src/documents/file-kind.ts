import type { FileKind } from "./document.ts";

const PROSE = new Set([
  "",
  "adoc",
  "asciidoc",
  "htm",
  "html",
  "markdown",
  "md",
  "mdx",
  "org",
  "rst",
  "tex",
  "txt",
]);
const DATA = new Set(
  "cfg conf css csv diff ini json json5 jsonc jsonl lock log map ndjson patch properties snap svg toml tsv xml yaml yml".split(
    " ",
  ),
);

/** Tells prose, code and data apart by the extension; a file without one is prose, an unknown one code. */
export function fileKind(path: string): FileKind {
  const extension = extensionOf(path);
  if (PROSE.has(extension)) return "prose";
  return DATA.has(extension) ? "data" : "code";
}

/** In lower case, without its dot; that of a dot file is empty. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}
