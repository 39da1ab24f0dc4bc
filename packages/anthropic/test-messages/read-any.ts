import type { HistoryEntry } from "@agent-history/core";

import { fromAnthropicMessages } from "../src/index.ts";
import type { AnthropicMessageLike, FromAnthropicOptions } from "../src/index.ts";

/** Reads what was damaged, recorded or made up, and may be no message. */
export function readAny(
  messages: readonly object[],
  options?: FromAnthropicOptions,
): readonly HistoryEntry[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the types forbid is the point
  return fromAnthropicMessages(messages as readonly AnthropicMessageLike[], options);
}
