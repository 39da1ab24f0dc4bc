import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";

/** The environment of a command: input, output and terminal. */
export interface CliContext {
  /** Prints the answer. */
  readonly write: (text: string) => void;
  /** Prints progress and warnings. */
  readonly tell: (text: string) => void;
  /** The width of the terminal in columns. */
  readonly columns: number;
  /** Whether progress lines may be overwritten. */
  readonly isLive: boolean;
  readonly hasColor: boolean;
  readonly home: string;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
  /** Stops a command that serves a page. Default: none; it runs until the process ends. */
  readonly signal?: AbortSignal;
  /** Opens a file or URL in the user's browser. Default: opens nothing. */
  readonly openBrowser?: (target: string) => Promise<void>;
  /** The version of this package. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The answer of a command, as JSON and as a screen. The screen is drawn only if it is shown. */
export interface Answer {
  readonly json: unknown;
  readonly screen: () => readonly (string | undefined)[];
  /** Default: 0. */
  readonly exitCode?: number;
}

/** Formats JSON as it is printed. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Parses JSON; returns `undefined` if the text is invalid. */
export function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Creates an `INVALID_OPTION` error. */
export function invalidOption(option: string, message: string, cause?: unknown): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option }, cause });
}
