import * as z from "zod";

import { fileKind } from "../documents/file-kind.ts";
import { asksForChanges, isChangelog } from "../documents/is-changelog.ts";
import { writeWordCounts } from "../search/word-counts.ts";
import type { WordCounts } from "../search/word-counts.ts";
import { defineTool } from "./define-tool.ts";
import { isInFolder } from "./is-in-folder.ts";
import { passageSource } from "./passage-source.ts";
import type { Shelf } from "./shelf.ts";
import type { Tool } from "./tool.ts";

const schema = z.strictObject({
  query: z.string().min(1).max(1_000).describe("The words to look for, or a whole question"),
  kind: z.enum(["prose", "code", "data"]).describe("Only files of this kind").optional(),
  folder: z.string().describe("Only files below this folder").optional(),
  maxPassages: z.int().min(1).max(12).describe("How many passages. Default 8").optional(),
});

/** Makes `search_text`: the passages that have most to do with some words, best first, as numbered sources. */
export function searchText({ index, barred }: Shelf): Tool {
  return defineTool({
    name: "search_text",
    description:
      "Finds the passages that have most to do with some words, best first, as numbered sources.",
    schema,
    run: ({ query, kind, folder = "", maxPassages = 8 }) => {
      const passages = index.search(query, {
        maxPassages,
        accepts: ({ path }) =>
          !barred.has(path) &&
          (!isChangelog(path) || asksForChanges(query)) &&
          isInFolder(path, folder) &&
          (kind === undefined || fileKind(path) === kind),
      });
      return {
        outcome: "success",
        content: `${passages.length} passages.\n${describeWords(index.count(query))}`,
        sources: passages.map(passageSource),
      };
    },
  });
}

/** How common each word is: a rare one tells more. */
function describeWords(counted: WordCounts): string {
  return counted.counts.size === 0
    ? "The query has no words to look for."
    : writeWordCounts(counted);
}
