import type { DecisionAction } from "@agent-history/core";

import type { CellState } from "../inspector-data.ts";

/** Says what became of an entry by the action of its decision. */
export function cellState(action: DecisionAction, isQuoted: boolean): CellState {
  switch (action.kind) {
    case "keep":
      return "kept";
    case "summarize":
      return "summarized";
    case "drop":
      return isQuoted ? "recalled" : "dropped";
    case "edit":
      return action.edit.clear === undefined && action.edit.clearArguments === undefined
        ? "shrunk"
        : "cleared";
  }
}
