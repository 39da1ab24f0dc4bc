import type { RetryOptions } from "../providers/provider-chat-model.ts";
import type { OutputStream } from "./output.ts";

/** Where the demo runs. */
export interface CliSurroundings {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that is asked about where none is given. */
  readonly defaultFolder: string;
  /** Where the file with the threads is, where nobody says otherwise; git ignores it. */
  readonly cacheFolder: string;
  /** Reads what the user writes, line by line. */
  readonly lines: () => AsyncIterable<string>;
  /** How calls of a real model are tried again. */
  readonly retries?: RetryOptions;
  /** Fires when the user stops the run. */
  readonly signal: AbortSignal;
}
