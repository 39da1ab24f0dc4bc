/** The middle of several values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = low] = [
    sorted[sorted.length % 2 === 0 ? middle - 1 : middle],
    sorted[middle],
  ];
  return (low + high) / 2;
}

/** Milliseconds as a person reads them: three figures that count. */
export function milliseconds(value: number): string {
  if (value >= 1000) return value.toLocaleString("en", { maximumFractionDigits: 0 });
  return value.toPrecision(value >= 100 ? 4 : 3).replace(/\.?0+$/, "");
}

/** A share from 0 to 1 as percent. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
