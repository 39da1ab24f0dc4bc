import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { findMissingWords, findOddWords, findOddWordsOfSource } from "./find-odd-words.ts";

describe("findOddWords", () => {
  it("finds words of the dialect with line and advice, in any case, in tables too", () => {
    const page = "# Mended\n\n| a | told of |\n\nHand them in anew.";

    expect(findOddWords(page)).toEqual([
      { line: 1, word: "Mended", write: "repair" },
      { line: 3, word: "told of", write: "reported, notified" },
      { line: 5, word: "Hand them in", write: "pass" },
      { line: 5, word: "anew", write: "again, from scratch, stateless" },
    ]);
  });

  it.each(["letGo", "let go", "summarise", "gives way", "bears", "goes on with", "in place of"])(
    "finds %s",
    (word) => {
      expect(findOddWords(`It ${word} it.`)).toHaveLength(1);
    },
  );

  it("reads no code, address or title of a link, and takes no part of a word", () => {
    const page =
      '`anew` in\n\n```ts\n// anew\n```\n\n[test](a/anew.ts "begins anew") {@link anew} renewal, commended';

    expect(findOddWords(page)).toEqual([]);
  });
});

describe("findOddWordsOfSource", () => {
  it("reads doc comments and texts of several words, and no names, imports or other comments", () => {
    const source = [
      'import { a } from "anew";',
      "// anew",
      "/**",
      " * Says it anew.",
      " */",
      'const anew = ["anew", "told of"];',
      "throw new Error(`Expected ${a} to be mended; got ${anew}`);",
    ].join("\n");

    expect(findOddWordsOfSource("a.ts", source)).toMatchObject([
      { line: 4, word: "anew" },
      { line: 6, word: "told of" },
      { line: 7, word: "mended" },
    ]);
  });
});

describe("findMissingWords", () => {
  it("names the patterns that a text lacks, over line breaks, in any case", () => {
    const wanted = ["context window", "trim|prune", "resume"];

    expect(findMissingWords("Prunes to the Context\nwindow.", wanted)).toEqual(["resume"]);
  });
});

describe("check-words.ts", () => {
  it("fails on a dialect word of a page and of a doc comment, and on a README without its field's words", () => {
    const folder = mkdtempSync(join(tmpdir(), "words-"));
    const write = (file: string, text: string): void => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    write("docs/guide/a.md", "It begins anew.");
    write("packages/a/src/a.ts", "/** Is told of it. */\nexport const a = 1;");
    write("packages/store-redis/README.md", "Stores threads.");

    const script = fileURLToPath(new URL("check-words.ts", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
    rmSync(folder, { recursive: true });

    expect(status).toBe(1);
    expect(stderr.trim().split("\n")).toEqual([
      'docs/guide/a.md:1 says "anew": again, from scratch, stateless',
      'packages/a/src/a.ts:1 says "Is told": is called with, receives',
      "packages/store-redis/README.md lacks: checkpoint|resume",
    ]);
  });
});
