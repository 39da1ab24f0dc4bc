/** How a summary model is asked. */
export interface ModelOptions {
  /** What the model's window takes, in tokens of the counter. Longer histories are read in pieces. From 1000; default 32,000. */
  readonly contextTokens?: number | undefined;
  /** How long one answer may take, in milliseconds, from 1; `Infinity` for no limit. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** How often one request is sent at most, from 1. Default 3. */
  readonly maxAttempts?: number | undefined;
  /** How long to wait after a first failure, in milliseconds; twice as long after each further one. Default 1000. */
  readonly backoffMs?: number | undefined;
  /** Waits between attempts for this many milliseconds, or until the signal fires; never rejects. Default: a timer. `timeoutMs` has a timer of its own. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}
