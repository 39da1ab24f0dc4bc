import { assistantMessage } from "@agent-history/core";
import type { EntrySources } from "@agent-history/core";

/** Returns a name that was never given, from where ids come from. */
export function newName(sources: EntrySources): string {
  // core gives its ids to entries only.
  return assistantMessage({ content: "" }, sources).id;
}
