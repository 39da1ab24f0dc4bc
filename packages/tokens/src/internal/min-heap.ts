/** A heap of numbers that gives back the least first. */
export interface MinHeap {
  push(key: number): void;
  /** Takes the least key out; `undefined` where there is none. */
  pop(): number | undefined;
}

/** Creates an empty heap with room for `capacity` keys; it grows where that is not enough. */
export function createMinHeap(capacity: number): MinHeap {
  let keys = new Float64Array(Math.max(capacity, 1));
  let size = 0;
  const at = (index: number): number => (index < size ? (keys[index] ?? Infinity) : Infinity);

  return {
    push(key) {
      if (size === keys.length) {
        const grown = new Float64Array(size * 2);
        grown.set(keys);
        keys = grown;
      }
      let index = size;
      size += 1;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        if (at(parent) <= key) break;
        keys[index] = at(parent);
        index = parent;
      }
      keys[index] = key;
    },
    pop() {
      if (size === 0) return undefined;
      const least = at(0);
      const last = at(size - 1);
      size -= 1;
      let index = 0;
      for (;;) {
        const left = index * 2 + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (at(child) >= last) break;
        keys[index] = at(child);
        index = child;
      }
      if (size > 0) keys[index] = last;
      return least;
    },
  };
}
