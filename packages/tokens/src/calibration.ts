/** What a calibrated counter has learnt, as plain JSON: it can be stored, and passed in again. */
export interface Calibration {
  /** Tokens that the provider reports for one that the wrapped counter counts. */
  readonly factor: number;
  /** The latest requests, oldest first; at most 64. */
  readonly observations: readonly Observation[];
}

/** One request that a provider has answered. */
export interface Observation {
  /** Tokens of the whole request as counted. */
  readonly counted: number;
  /** Tokens of the prompt as the provider reports them in its usage. */
  readonly reported: number;
}
