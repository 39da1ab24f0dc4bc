import type { ModelWindow, TokenCounter } from "@agent-history/core";

/** The model, and what replaces what is known of it. */
export interface ModelOptions {
  /**
   * The model's name, such as `gpt-5`, `openai/gpt-5` or `claude-opus-5-5`: gives the context window, the tokens reserved for the answer, and the
   * counter. May be missing where `window` is given.
   */
  readonly model?: string | undefined;
  /**
   * The context window in tokens, and limits on bytes and images. Default: the model's, by the table of `@agent-history/tokens`; what is missing of
   * the limits on bytes and images too.
   */
  readonly window?: ModelWindow | undefined;
  /** Counts tokens. Default: the model's; exact for OpenAI's, an estimate for others. */
  readonly counter?: TokenCounter | undefined;
  /** Estimates for a model without a known tokenizer, deliberately high. Default: where `window` is given. */
  readonly estimate?: boolean | undefined;
}

/** Counts a request for a model: what the function of a format takes, with the model in place of its counter. */
export type CountForModel<Request> = (Request extends unknown ? Omit<Request, "counter"> : never) &
  Omit<ModelOptions, "window">;
