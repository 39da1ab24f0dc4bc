/** One thing for which a provider refuses a request. */
export interface ProviderProblem {
  /** What is wrong; each provider's function lists its rules. */
  readonly rule: string;
  /** The index of the message, item or content at which it shows. */
  readonly index: number;
}
