import type { Decision } from "@agent-history/core";

/** Finds the decisions about indexes that are asked for in ascending order, in one walk. */
export class DecisionCursor {
  private readonly decisions: readonly Decision[];
  private nth = 0;
  private begin = 0;
  private end: number;

  constructor(decisions: readonly Decision[]) {
    this.decisions = decisions;
    this.end = decisions[0]?.entryCount ?? 0;
  }

  /** The decision about an index; nothing behind all of them. */
  at(index: number): Decision | undefined {
    while (index >= this.end && this.nth < this.decisions.length) {
      this.nth += 1;
      this.begin = this.end;
      this.end += this.decisions[this.nth]?.entryCount ?? 0;
    }
    return this.decisions[this.nth];
  }

  /** The decision about a run that begins at an index. */
  get(index: number): Decision | undefined {
    const decision = this.at(index);
    return this.begin === index ? decision : undefined;
  }
}
