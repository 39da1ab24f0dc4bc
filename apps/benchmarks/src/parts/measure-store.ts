import type { Measured, MeasureOptions } from "./measured.ts";
import { storeAll, storeTable } from "./store.ts";

/** Measures what stores take for appends, tails and a role's view. */
export async function measureStore(options: MeasureOptions): Promise<Measured> {
  const { isQuick, withPeers, withRedis } = options;
  const size = isQuick
    ? { lengths: [100, 200], repeats: 2 }
    : { lengths: [1000, 100_000], repeats: 20 };
  return { tables: [storeTable(await storeAll({ ...size, withPeers, withRedis }))] };
}
