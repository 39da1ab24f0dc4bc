import type { AnyStoreAddress } from "../open-any-store.ts";
import { startWriters } from "../writers/start-writers.ts";
import type { Writers } from "../writers/start-writers.ts";

/** The write load during a fault. */
export interface Load {
  /** Number of processes. */
  readonly writers: number;
  /** Number of threads; all writers write to all of them. */
  readonly threads: number;
  /** Batches in flight for each process and thread. Default 1. */
  readonly lanes?: number;
  readonly batchSize: number;
  readonly entryBytes?: number;
  /** Whether every append passes `expectedVersion`. Default `false`. */
  readonly comparesVersions?: boolean;
  /** Prefix of the writers' names. Default: none. */
  readonly prefix?: string;
  /** Batches of each writer in each lane to each thread. Default: until the writers are stopped. */
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
