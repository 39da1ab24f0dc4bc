// A process that erases what it is told, until it is killed: eraser.ts <opener> <address>.
import type { HistoryStore } from "@agent-history/core";

/** What is erased. */
export interface Erasure {
  readonly verb: "eraseUser" | "delete" | "eraseEntries";
  readonly name: string;
  readonly ids: readonly string[];
}

interface Opener {
  readonly openStore: (address: unknown) => Promise<{ readonly store: HistoryStore }>;
}

/** Erases by one of three verbs. */
export async function erase(store: HistoryStore, { verb, name, ids }: Erasure): Promise<void> {
  if (verb === "eraseUser") await store.eraseUser(name);
  else if (verb === "delete") await store.delete(name, { includeForks: true });
  else await store.eraseEntries(name, ids);
}

if (process.send !== undefined) {
  const [opener = "", address = "{}"] = process.argv.slice(2);
  const { openStore }: Opener = await import(opener);
  const { store } = await openStore(JSON.parse(address));
  await store.ping();
  process.once("message", (erasure: Erasure) => {
    void (async () => {
      process.send?.("begin");
      await erase(store, erasure);
      process.send?.("done");
    })();
  });
  process.send("open");
}
