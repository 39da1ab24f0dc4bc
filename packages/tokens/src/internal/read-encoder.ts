import { HistoryError } from "@agent-history/core";

import type { EncodingName } from "./pre-tokens.ts";

/**
 * Stands in for `read-encoder-on-node.ts` where there is no Node, and so no file to read when a count asks for it.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`, always.
 */
export function readEncoder(encoding: EncodingName): string {
  throw new HistoryError(
    `Expected tiktokenCounter to run on Node, where it reads the ranks of ${encoding} from the package tiktoken. Elsewhere use the entry of the encoding, for example o200kBaseCounter of @agent-history/tokens/o200k-base: it counts the same.`,
    { code: "INVALID_OPTION", details: { option: "encoding", received: encoding } },
  );
}
