import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A question about a package's documentation, and where its answer stands. */
export interface DocumentationQuestion {
  readonly question: string;
  /** Relative to the folder of the documentation. */
  readonly path: string;
  /** The first and the last line of the answer, from 1. */
  readonly lines: readonly [number, number];
}

/** Reads the questions of a file beside this one. */
export async function readQuestions<Question = DocumentationQuestion>(
  name: string,
): Promise<readonly Question[]> {
  const text = await readFile(new URL(name, import.meta.url), "utf8");
  const { questions }: { readonly questions: readonly Question[] } = JSON.parse(text);
  return questions;
}

/** Gives the folder of documentation that an installed package brings with it. */
export function documentationFolder(packageName: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  return join(dirname(manifest), "docs");
}
