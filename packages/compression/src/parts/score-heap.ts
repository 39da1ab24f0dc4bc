/** Gives back values by their score, the greatest first. */
export interface ScoreHeap<T> {
  readonly push: (value: T, score: number) => void;
  readonly pop: () => T | undefined;
  /** The greatest score; 0 where nothing is left. */
  readonly best: () => number;
}

/** A binary heap: each step takes time logarithmic in what it holds. */
export function scoreHeap<T>(): ScoreHeap<T> {
  const heap: { readonly value: T; readonly score: number }[] = [];
  const scoreAt = (at: number): number => heap[at]?.score ?? -Infinity;
  const swap = (one: number, other: number): void => {
    const [first, second] = [heap[one], heap[other]];
    if (first === undefined || second === undefined) return;
    heap[one] = second;
    heap[other] = first;
  };
  return {
    best: () => heap[0]?.score ?? 0,
    push: (value, score) => {
      heap.push({ value, score });
      for (let at = heap.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (scoreAt(parent) >= score) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop: () => {
      swap(0, heap.length - 1);
      const last = heap.pop();
      for (let at = 0; ;) {
        const child = scoreAt(2 * at + 2) > scoreAt(2 * at + 1) ? 2 * at + 2 : 2 * at + 1;
        if (scoreAt(child) <= scoreAt(at)) break;
        swap(at, child);
        at = child;
      }
      return last?.value;
    },
  };
}
