import type { HistoryEntry, Viewer } from "../src/index.ts";
import { aiSdkFormat } from "./ai-sdk-format.ts";
import { writeMessages } from "./internal/message-format.ts";
import { unpackBinary } from "./internal/pack-binary.ts";

/**
 * Turns entries into AI SDK model messages. Linear.
 *
 * What came from such messages is given back as it came. Other entries read as `messageRole` says, the results of one
 * action in one message; reasoning and opaque parts of other formats are left out.
 */
export function entriesToAiSdk(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): readonly object[] {
  return writeMessages(aiSdkFormat, entries, viewer).map(unpackBinary);
}
