import type { FilePart } from "@agent-history/core";

import type { ImageTokens } from "./image-tokens.ts";
import type { EncodingName } from "./internal/pre-tokens.ts";

export type { EncodingName } from "./internal/pre-tokens.ts";

/** Options of a counter of OpenAI's encodings: the model or the encoding. */
export type OpenaiCounterOptions = (OpenaiModelOption | EncodingOption) & OwnRules;

/** Names the model; its encoding and its rules for tools and images follow. */
export interface OpenaiModelOption {
  /** For example `gpt-4o`, `openai/gpt-6-astra` or the name of a fine-tuned one. */
  readonly model: string;
  readonly encoding?: never;
}

/** Names the encoding, for a model that is not known by name. */
export interface EncodingOption {
  readonly encoding: EncodingName;
  readonly model?: never;
}

/** How the counter of one encoding counts: without a model, as the newest ones of the encoding. */
export interface EncodingCounterOptions extends OwnRules {
  readonly model?: string | undefined;
}

/** What replaces the rules that follow from the model. */
export interface OwnRules {
  /** Counts an image. Default: as the model does; without a model, as the newest ones of the encoding. */
  readonly imageTokens?: ImageTokens | undefined;
  /**
   * Counts a file. Default: a text by itself, a PDF by its pages, audio and video by their seconds; an estimate where these are not known.
   */
  readonly fileTokens?: ((file: FilePart) => number) | undefined;
  /**
   * The counter's id, which identifies stored counts and plans. Default: model or encoding, and, with rules of your own, a hash of their
   * functions' text. Give one where rules have the same text and count differently.
   */
  readonly id?: string | undefined;
}
