import { stripVTControlCharacters } from "node:util";

import pc from "picocolors";

import { fitLine } from "./fit-line.ts";
import { wrapText } from "./wrap-text.ts";

/** A stream that can be written to, as far as the demo needs it. */
export interface OutputStream {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Writes lines, with colors where a person reads them. */
export interface Output {
  readonly colors: ReturnType<typeof pc.createColors>;
  /** Writes lines as they are. */
  readonly write: (text: string) => void;
  /** Writes one line, cut to the width of the terminal between words; what is painted is cut before. */
  readonly line: (text: string, paint?: (line: string) => string) => void;
  /** Writes text, on a terminal broken between words. */
  readonly paragraph: (text: string, paint?: (text: string) => string) => void;
  /** How wide the terminal is; `Infinity` where there is none. */
  readonly width: () => number;
}

/** How wide a line is where nobody says how wide the terminal is. */
const DEFAULT_COLUMNS = 160;
/** What a terminal would act upon; line ends and tabs are text. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/** Makes an output. Colors need a terminal, and no `NO_COLOR` in the environment. */
export function createOutput(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): Output {
  const { isTTY = false } = stream;
  const width = (): number => (isTTY && sizeOf(stream.columns)) || Infinity;
  const hasColors = isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  return {
    colors: pc.createColors(hasColors),
    write: (text) => void stream.write(`${text}\n`),
    line: (text, paint = String) => {
      // Asked for each line: a window changes its size.
      const columns = sizeOf(stream.columns) ?? DEFAULT_COLUMNS;
      stream.write(`${paint(fitLine(text.replaceAll(/\s*\n\s*/g, " "), columns))}\n`);
    },
    paragraph: (text, paint = String) => {
      const columns = width();
      stream.write(`${paint(columns === Infinity ? text : wrapText(text, columns))}\n`);
    },
    width,
  };
}

/** What a terminal says of its size: one that does not know it says 0. */
export function sizeOf(count: number | undefined): number | undefined {
  return count === 0 ? undefined : count;
}

/** Makes text of a document or a model safe to print: no byte of it steers the terminal. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, "�");
}
