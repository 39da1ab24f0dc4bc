import type { AnyStoreAddress } from "../open-any-store.ts";
import { startWriters } from "../writers/start-writers.ts";
import type { Writers } from "../writers/start-writers.ts";

/** How much is written while something is broken. */
export interface Load {
  /** Processes. */
  readonly writers: number;
  /** Threads, which all writers write to. */
  readonly threads: number;
  /** Batches of each process in flight for each thread. Default 1. */
  readonly lanes?: number;
  readonly batchSize: number;
  readonly entryBytes?: number;
  /** Every append expects a version. Default `false`. */
  readonly comparesVersions?: boolean;
  /** Begins the names of the writers. Default: nothing. */
  readonly prefix?: string;
  /** Batches of each writer in each lane to each thread. Without it, until the writers are stopped. */
  readonly batches?: number;
}

/** Starts the writers of a load. */
export function startLoad(address: AnyStoreAddress, load: Load): Promise<Writers> {
  const {
    lanes = 1,
    entryBytes = 200,
    batchSize,
    comparesVersions = false,
    batches,
    prefix = "",
  } = load;
  const threads = Array.from({ length: load.threads }, (_, index) => `thread-${index}`);
  const orders = Array.from({ length: load.writers }, (_, index) => ({
    writer: `${prefix}w${index}`,
    address,
    threads,
    lanes,
    batchSize,
    entryBytes,
    comparesVersions,
    ...(batches !== undefined && { batches }),
  }));
  return startWriters(orders);
}
