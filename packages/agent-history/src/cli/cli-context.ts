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
