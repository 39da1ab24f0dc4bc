import * as z from "zod";

import { defineTool, failure } from "./define-tool.ts";
import { passageSource } from "./passage-source.ts";
import type { Shelf } from "./shelf.ts";
import type { Tool } from "./tool.ts";

const MAX_LINES = 120;

const schema = z.strictObject({
  path: z.string().min(1).describe("The path of the file, as list_files and sources name it"),
  startLine: z.int().min(1).describe("The first line, from 1. Default 1").optional(),
  endLine: z.int().min(1).describe("The last line").optional(),
});

/** Makes `read_passage`: some lines of a file, in whole passages, as numbered sources. */
export function readPassage({ documents, index, barred }: Shelf): Tool {
  const lengths = new Map(documents.map(({ path, lines }) => [path, lines.length]));
  return defineTool({
    name: "read_passage",
    description: `Reads lines of a file, in whole passages, at most ${MAX_LINES} lines, as numbered sources.`,
    schema,
    run: ({ path: given, startLine = 1, endLine = startLine + MAX_LINES - 1 }) => {
      const path = given.replace(/^(?:\.\/)+/, "");
      const length = lengths.get(path);
      if (length === undefined) return failure(`There is no file ${path}. Ask list_files.`);
      if (barred.has(path))
        return failure(`${path} repeats the question itself and is no evidence for it.`);
      if (startLine > length) return failure(`${path} has ${length} lines.`);
      if (endLine < startLine) return failure("endLine must not be before startLine.");
      const last = Math.min(endLine, startLine + MAX_LINES - 1);
      const passages = index
        .passagesOf(path)
        .filter((passage) => passage.endLine >= startLine && passage.startLine <= last);
      return {
        outcome: "success",
        content: `${path}, lines ${startLine} to ${Math.min(last, length)} of ${length}.`,
        sources: passages.map(passageSource),
      };
    },
  });
}
