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
  /** Returns a signal that aborts when the user stops a long-running command. Default: none. */
  readonly stopSignal?: () => AbortSignal;
  /** Opens a file or URL in the user's browser. Default: opens nothing. */
  readonly openBrowser?: (target: string) => Promise<void>;
  /** The version of this package. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
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
