import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";

/** What a command reads from its surroundings and writes to them. */
export interface CliContext {
  /** Prints the answer. */
  readonly write: (text: string) => void;
  /** Prints progress and warnings. */
  readonly tell: (text: string) => void;
  /** How wide tables may be. */
  readonly columns: number;
  /** Whether progress may be overwritten. */
  readonly isLive: boolean;
  readonly hasColor: boolean;
  readonly home: string;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
  /** Returns a signal that fires when the user stops a command that runs until then. Default: none. */
  readonly stopSignal?: () => AbortSignal;
  /** Opens a page or an address in the user's browser. Default: does not. */
  readonly openBrowser?: (target: string) => Promise<void>;
  /** The version of this package. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Parses JSON; `undefined` for what is none. */
export function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** An error about an option. */
export function invalidOption(option: string, message: string, cause?: unknown): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option }, cause });
}
