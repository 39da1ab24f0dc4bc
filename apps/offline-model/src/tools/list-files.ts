import * as z from "zod";

import { defineTool } from "./define-tool.ts";
import { isInFolder } from "./is-in-folder.ts";
import type { Shelf } from "./shelf.ts";
import type { Tool } from "./tool.ts";

const MAX_FILES = 50;

const schema = z.strictObject({
  folder: z.string().describe("Only files below this folder, for example docs").optional(),
  nameContains: z.string().describe("Only paths that contain this text").optional(),
});

/** Makes `list_files`: the paths of the documents, with how many lines each has. */
export function listFiles({ documents, barred }: Shelf): Tool {
  return defineTool({
    name: "list_files",
    description: `Lists text files by path, at most ${MAX_FILES}.`,
    schema,
    run: ({ folder = "", nameContains = "" }) => {
      const wanted = nameContains.toLowerCase();
      const found = documents.filter(
        ({ path }) =>
          !barred.has(path) && isInFolder(path, folder) && path.toLowerCase().includes(wanted),
      );
      const lines = found
        .slice(0, MAX_FILES)
        .map(({ path, lines: { length } }) => `${path} (${length} lines)`);
      const rest = found.length - lines.length;
      const more =
        rest > 0 ? [`… and ${rest} more. Narrow the list by folder or nameContains.`] : [];
      return {
        outcome: "success",
        content: [`${found.length} files`, ...lines, ...more].join("\n"),
      };
    },
  });
}
