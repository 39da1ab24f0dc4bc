import type { ResultTable } from "../report/result-table.ts";

/** What is measured, and how thoroughly. */
export interface MeasureOptions {
  /** Small sizes and few repeats: to see that everything works, not to quote. */
  readonly isQuick: boolean;
  readonly withPeers: boolean;
  readonly withRedis: boolean;
  /** Hands `--check` on to the packages' own benches. */
  readonly isCheck: boolean;
  /** The folder of recorded conversations. Default: none, and everything is generated. */
  readonly data?: string;
}

/** What one part gives: its tables, and the promises that were broken. */
export interface Measured {
  readonly tables: readonly ResultTable[];
  readonly broken?: readonly string[];
}
