import type { EntrySources, HistoryEntry } from "../src/index.ts";
import { aiSdkFormat } from "./ai-sdk-format.ts";
import { readMessages } from "./internal/message-format.ts";
import { packBinary } from "./internal/pack-binary.ts";

/**
 * Turns AI SDK model messages into entries, so that `entriesToAiSdk` gives the same messages back. Linear.
 *
 * Each result of a tool's message is an `observation`, a request to approve a call is a call, its answer an
 * `observation`. What the provider ran stays in the answer, as opaque parts. A `URL` and bytes become JSON.
 */
export function aiSdkToEntries(
  messages: readonly object[],
  sources: EntrySources = {},
): readonly HistoryEntry[] {
  return readMessages(aiSdkFormat, messages.map(packBinary), sources);
}
