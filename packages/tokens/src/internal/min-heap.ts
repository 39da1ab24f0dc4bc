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
  const at = (place: number): number => (place < size ? (keys[place] ?? Infinity) : Infinity);

  return {
    push(key) {
      if (size === keys.length) {
        const grown = new Float64Array(size * 2);
        grown.set(keys);
        keys = grown;
      }
      let place = size;
      size += 1;
      while (place > 0) {
        const parent = (place - 1) >> 1;
        if (at(parent) <= key) break;
        keys[place] = at(parent);
        place = parent;
      }
      keys[place] = key;
    },
    pop() {
      if (size === 0) return undefined;
      const least = at(0);
      const last = at(size - 1);
      size -= 1;
      let place = 0;
      for (;;) {
        const left = place * 2 + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (at(child) >= last) break;
        keys[place] = at(child);
        place = child;
      }
      if (size > 0) keys[place] = last;
      return least;
    },
  };
}
