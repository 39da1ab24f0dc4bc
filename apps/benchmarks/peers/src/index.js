// What people use today, each as one system. Loaded only where the peers are installed.
import { contextChefSystem } from "./context-chef.js";
import { pruneMessagesSystem } from "./prune-messages.js";
import { summarizationSystem } from "./summarization-middleware.js";
import { tokenLimiterSystem } from "./token-limiter.js";
import { trimMessagesSystem } from "./trim-messages.js";

/** Makes them all. They are handed what counts, so that all are judged by one count. */
export function peerSystems({ messageCounter }) {
  return [
    trimMessagesSystem({ messageCounter, remembers: false, startOn: true }),
    trimMessagesSystem({ messageCounter, remembers: true, startOn: true }),
    trimMessagesSystem({ messageCounter, remembers: true, startOn: false }),
    summarizationSystem({ messageCounter }),
    tokenLimiterSystem({ trimMode: "best-fit" }),
    tokenLimiterSystem({ trimMode: "contiguous" }),
    contextChefSystem({ messageCounter }),
    pruneMessagesSystem(),
  ];
}
