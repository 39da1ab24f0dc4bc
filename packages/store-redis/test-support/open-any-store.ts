import { openStore } from "./open-store.ts";
import type { OpenStore, StoreAddress } from "./open-store.ts";

/** Where a store of another package lies: plain JSON, so that another process can open it too. */
export interface OtherStoreAddress {
  /** The URL of the module that opens it, by `openStore(address)`. */
  readonly opener: string;
}

/** Where a store lies, of this package or of another. */
export type AnyStoreAddress = StoreAddress | OtherStoreAddress;

/** Opens a store, of whichever package, with a client of its own. */
export async function openAnyStore(address: AnyStoreAddress): Promise<OpenStore> {
  if (!("opener" in address)) return openStore(address);
  const opener: Opener = await import(address.opener);
  return opener.openStore(address);
}

interface Opener {
  readonly openStore: (address: OtherStoreAddress) => Promise<OpenStore>;
}
