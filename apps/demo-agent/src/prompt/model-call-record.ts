import type { Agent, FilterContext } from "@agent-history/core";
import type { ChatMessage } from "@agent-history/offline-model";

/** What one call of the model was shown, how much there was, and what made it smaller. */
export interface ModelCallRecord {
  readonly turnId: string;
  readonly agent: Agent;
  readonly step: string;
  /** Where the agent stood when the prompt was built. */
  readonly context: FilterContext;
  /** The entries shown, in order. */
  readonly entryIds: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** The tokens of the whole thread at this moment. */
  readonly threadTokens: number;
  /** The tokens of what was shown of it. */
  readonly shownTokens: number;
  /** How many of these stand at the beginning, as in this agent's prompt before: what a provider has cached. */
  readonly stableTokens: number;
  /** What made the prompt smaller, in order: `filter`, `summary`, `clean`, and the reducer's steps by name. */
  readonly steps: readonly string[];
  /** The tokens of the whole request (instructions and tools included), and what the window leaves for it. */
  readonly requestTokens: number;
  readonly windowTokens: number;
}
