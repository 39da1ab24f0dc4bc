import { HistoryError } from "@agent-history/core";

/** What is used of tiktoken's encoder. */
export interface Tiktoken {
  readonly encode_ordinary: (text: string) => Uint32Array;
  readonly encode_single_token: (bytes: Uint8Array) => number;
  readonly token_byte_values: () => number[][];
}

/**
 * Stands in for tiktoken where there is no Node: a bundler that cannot load WebAssembly could build nothing of the package otherwise.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`, always.
 */
export function get_encoding(encoding: string): Tiktoken {
  throw new HistoryError(
    `Expected tiktokenCounter to run on Node, where it loads WebAssembly for ${encoding}. Elsewhere use gptTokenizerCounter of @agent-history/tokens/gpt-tokenizer: it counts the same.`,
    { code: "INVALID_OPTION", details: { option: "encoding", received: encoding } },
  );
}
