import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { findMissingWords, findOddWords, findOddWordsOfSource } from "./find-odd-words.ts";
import { rootFolder } from "./workspace-packages.ts";

/**
 * Holds READMEs, guides, doc comments, error messages and the demo's output to words that engineers know and search for: none of the
 * dialect, and in the README of each stage the words of its field. Another folder to check may be given.
 */

const folder = process.argv[2] ?? rootFolder;

const call = ["tool call", "tool result"];
const context = ["context window"];
const trim = ["trim|prune"];
const summarize = ["summarize", "compaction"];
const resume = ["checkpoint|resume"];
const fieldWords: Readonly<Record<string, readonly string[]>> = {
  "README.md": [...context, ...trim, ...call, ...summarize, ...resume],
  "packages/reducer/README.md": [...context, ...trim, ...call, "truncate"],
  "packages/tokens/README.md": [...context, ...call],
  "packages/filters/README.md": [...context, ...call],
  "packages/postprocess/README.md": [...context, ...call],
  "packages/compression/README.md": [...context, ...call, ...summarize],
  "packages/store-sqlite/README.md": resume,
  "packages/store-redis/README.md": resume,
  "packages/store-postgres/README.md": resume,
  "packages/openai/README.md": [...context, ...trim, ...call],
  "packages/ai-sdk/README.md": [...context, ...trim, ...call],
  "packages/history-manager/README.md": [...context, ...call, ...summarize, ...resume],
};

const pages = find(["*.md", "docs/**/*.md", "{packages,apps}/*/README.md"], ["**/CHANGELOG.md"]);
const sources = find(
  ["{packages,apps}/*/{src,cli,providers}/**/*.ts"],
  [
    "**/*.test.ts",
    "apps/benchmarks/**",
    "**/english-*.ts",
    "**/synonyms-of-*.ts",
    "**/describe-*.ts",
    // Instructions to a model: another word is another request.
    "packages/compression/src/internal/build-request.ts",
  ],
);
const problems = [
  ...pages.flatMap((file) => findOddWords(read(file)).map((odd) => ({ file, ...odd }))),
  ...sources.flatMap((file) =>
    findOddWordsOfSource(file, read(file)).map((odd) => ({ file, ...odd })),
  ),
].map(({ file, line, word, write }) => `${file}:${line} says "${word}": ${write}`);
const missing = Object.entries(fieldWords)
  .filter(([file]) => existsSync(join(folder, file)))
  .flatMap(([file, words]) =>
    findMissingWords(read(file), words).map((word) => `${file} lacks: ${word}`),
  );

for (const problem of [...problems, ...missing]) console.error(problem);
const count = problems.length + missing.length;
console.log(`${pages.length} pages, ${sources.length} source files, ${count} problems`);
if (pages.length === 0 || count > 0) process.exitCode = 1;

function find(patterns: readonly string[], exclude: readonly string[]): string[] {
  return globSync(patterns, {
    cwd: folder,
    exclude: ["**/node_modules/**", ...exclude],
  }).toSorted();
}

function read(file: string): string {
  return readFileSync(join(folder, file), "utf8");
}
