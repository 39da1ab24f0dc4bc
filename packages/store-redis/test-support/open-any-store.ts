import { openStore } from "./open-store.ts";
import type { OpenStore, StoreAddress } from "./open-store.ts";

/** The address of a store of another package: plain JSON, so that another process can open it too. */
export interface OtherStoreAddress {
  /** URL of the module that opens it with `openStore(address)`. */
  readonly opener: string;
}

/** The address of a store of this or another package. */
export type AnyStoreAddress = StoreAddress | OtherStoreAddress;

/** Opens a store of any package, with its own client. */
export async function openAnyStore(address: AnyStoreAddress): Promise<OpenStore> {
  if (!("opener" in address)) return openStore(address);
  const opener: Opener = await import(address.opener);
  return opener.openStore(address);
}

interface Opener {
  readonly openStore: (address: OtherStoreAddress) => Promise<OpenStore>;
}
