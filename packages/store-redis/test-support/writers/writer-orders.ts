import type { AnyStoreAddress } from "../open-any-store.ts";
import type { SentBatch } from "../oracle/ledger.ts";

/** What a writer process is to do. */
export interface WriterOrders {
  readonly writer: string;
  readonly address: AnyStoreAddress;
  /** Written to at once. */
  readonly threads: readonly string[];
  /** How many batches of the process are in flight for each thread, each from a writer of its own name. */
  readonly lanes: number;
  readonly batchSize: number;
  readonly entryBytes: number;
  /** Expects the version it knows, and takes the one it is told of where that is another. Default `false`. */
  readonly comparesVersions?: boolean;
  /** Batches for each thread. Without it the writer goes on until it is told to stop. */
  readonly batches?: number;
}

/** What a writer process says. */
export type WriterReport =
  | { readonly kind: "ready" }
  | { readonly kind: "sent" | "acknowledged" | "duplicate"; readonly line: SentBatch }
  /** Another writer was faster; sent again at the version that is there. */
  | { readonly kind: "conflict" }
  /** The store gave an error; the writer sends the same ids again. */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly outcome?: string;
      readonly message: string;
    }
  | { readonly kind: "done" };
