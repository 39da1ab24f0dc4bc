import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A citation of an answer, as a reader finds it. */
export interface CheckedCitation {
  readonly path: string;
  /** Why the quote is not what stands there; nothing where it is. */
  readonly problem?: string;
}

/** Opens what an answer cites at the lines it names, and looks whether the quote stands there, line for line. */
export async function checkCitations(
  answer: string,
  root: string,
): Promise<readonly CheckedCitation[]> {
  const blocks = answer
    .split(/^(?=\S.*:\d+-\d+ .*\[source\d+\]:$)/m)
    .filter((block) => block.includes("]:\n>"));
  return Promise.all(blocks.map((block) => checkBlock(block, answer, root)));
}

async function checkBlock(block: string, answer: string, root: string): Promise<CheckedCitation> {
  const [, path = "", start, end, number] =
    /^(.+?):(\d+)-(\d+) .*\[source(\d+)\]:/.exec(block) ?? [];
  const cited = (await readFile(join(root, path), "utf8"))
    .split(/\r?\n/)
    .slice(Number(start) - 1, Number(end));
  const quote = block
    .split("\n")
    .filter((line) => line.startsWith(">"))
    .map((line) => line.slice(2));
  if (quote.join("").trim() === "") return { path, problem: "the quote is empty" };
  const stands = cited.some((_, offset) =>
    quote.every((line, index) => cited[offset + index]?.includes(line)),
  );
  if (!stands)
    return { path, problem: `lines ${start}-${end} do not hold ${JSON.stringify(quote)}` };
  const isListed = `${answer}\n`.includes(`\n[source${number}] ${path}:${start}-${end}\n`);
  return isListed ? { path } : { path, problem: "the list of sources says otherwise" };
}
