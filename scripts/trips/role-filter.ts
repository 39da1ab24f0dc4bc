import { filterHistory, workerHistoryFilter } from "@agent-history/filters";

import { longHistory } from "./long-history.ts";
import type { Trip } from "./trip.ts";

/** What a worker sees of a log. */
export const roleFilter: Trip = async () => {
  return () => filterHistory(longHistory, workerHistoryFilter(), { agentId: "w" });
};
