/** Tells how many entries this many turns take at least: a request each, and what ends it; the newest ends only while it runs. */
export function leastEntries(turns: number, isRunning: boolean): number {
  return turns === 0 ? 0 : 2 * turns - (isRunning ? 0 : 1);
}
