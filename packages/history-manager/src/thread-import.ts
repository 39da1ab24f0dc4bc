/** What an import brought, and what of it could not be brought. */
export interface ThreadImport {
  /** How many entries the thread was given; those it had from an earlier try of the same import count too. */
  readonly entries: number;
  readonly compactions: number;
  readonly states: number;
  /** Lines that could not be used. Never silently skipped. */
  readonly problems: readonly ImportProblem[];
}

/** A line that could not be used. */
export interface ImportProblem {
  /** Which line, from 1. */
  readonly line: number;
  readonly entryId?: string;
  /** A sentence without content. */
  readonly reason: string;
}
