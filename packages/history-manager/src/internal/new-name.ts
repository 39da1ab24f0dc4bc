import { assistantMessage } from "@agent-history/core";
import type { EntrySources } from "@agent-history/core";

/** Returns a new unique name, from the source of ids. */
export function newName(sources: EntrySources): string {
  // core creates ids for entries only.
  return assistantMessage({ content: "" }, sources).id;
}
