import { HistoryError } from "@agent-history/core";

import type { EncodingName } from "./pre-tokens.ts";

/**
 * Stands in for `read-encoder-on-node.ts` where there is no Node, and so no file to read when a count asks for it.
 *
 * @throws `HistoryError` with code `INVALID_OPTION`, always.
 */
export function readEncoder(encoding: EncodingName): string {
  const name = encoding.replace("_", "-");
  const counter = `${encoding.replace("_base", "Base")}Counter`;
  throw new HistoryError(
    `Expected tiktokenCounter to run on Node, where it reads the ranks of ${encoding} from the package tiktoken. Elsewhere pass a \`counter\`: ${counter} of \`agent-history/${name}\`, which is also \`@agent-history/tokens/${name}\`, counts the same.`,
    { code: "INVALID_OPTION", details: { option: "encoding", received: encoding } },
  );
}
