/** An encoding of OpenAI's chat models. */
export type EncodingName = "o200k_base" | "cl100k_base";
