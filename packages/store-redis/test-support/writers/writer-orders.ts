import type { AnyStoreAddress } from "../open-any-store.ts";
import type { SentBatch } from "../oracle/ledger.ts";

/** Instructions for a writer process. */
export interface WriterOrders {
  readonly writer: string;
  readonly address: AnyStoreAddress;
  /** Threads to write to concurrently. */
  readonly threads: readonly string[];
  /** Number of batches in flight for each thread, each from a writer with its own name. */
  readonly lanes: number;
  readonly batchSize: number;
  readonly entryBytes: number;
  /** Passes the last known version as `expectedVersion`, and updates it after a conflict. Default `false`. */
  readonly comparesVersions?: boolean;
  /** Batches for each thread. Default: until the writer is stopped. */
  readonly batches?: number;
}

/** A message of a writer process. */
export type WriterReport =
  | { readonly kind: "ready" }
  | { readonly kind: "sent" | "acknowledged" | "duplicate"; readonly line: SentBatch }
  /** Another writer was faster; the batch is sent again with the current version. */
  | { readonly kind: "conflict" }
  /** The store threw an error; the writer sends the same ids again. */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly outcome?: string;
      readonly message: string;
    }
  | { readonly kind: "done" };
