/** Runs jobs side by side, this many at a time, and waits for all, also where one fails, so that nothing writes on after a turn has failed. */
export async function runAtOnce(
  jobs: readonly (() => Promise<unknown>)[],
  count: number,
): Promise<void> {
  const waiting = jobs.values();
  const failures: unknown[] = [];
  const runOn = async (): Promise<void> => {
    for (const job of waiting) {
      try {
        await job();
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs.length, count) }, runOn));
  if (failures.length > 0) throw failures[0];
}
