/** Does a piece of work for each value, this many at once, and gives the results in order. The first failure ends it. */
export async function mapSome<Value, Result>(
  values: readonly Value[],
  concurrency: number,
  work: (value: Value, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const waiting = values.entries();
  let failed = false;
  const run = async (): Promise<void> => {
    for (const [index, value] of waiting) {
      if (failed) return;
      results.set(index, await work(value, index));
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, run));
  } catch (error) {
    failed = true;
    throw error;
  }
  return [...results.entries()]
    .toSorted(([one], [other]) => one - other)
    .map(([, result]) => result);
}
