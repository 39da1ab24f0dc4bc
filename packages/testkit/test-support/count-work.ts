type Method = (...given: unknown[]) => unknown;
type Count = (amount: number) => void;

/**
 * Counts the work that a function does, for tests that hold a cost without a clock: the elements that array methods, spreads, loops over
 * collections and destructuring walk over, functions that are called for elements, and what is asked of maps and sets. The same input gives the
 * same count, on any machine. What is counted runs several times as slow; a plain loop over indexes is not seen.
 *
 * @param run - Synchronous; what it calls is counted too.
 * @returns A number without a unit: compare it with the count of another input.
 */
export function countWork(run: () => unknown): number {
  let work = 0;
  const restores = countedMethods((amount) => {
    work += amount;
  });
  try {
    run();
    return work;
  } finally {
    for (const restore of restores) restore();
  }
}

/** Replaces the methods of arrays, maps, sets and their iterators by counting ones; what it returns puts the language's own back. */
function countedMethods(count: Count): readonly (() => void)[] {
  return [
    ...Object.entries(WALKS).map(([name, cost]) => [Array.prototype, name, walks(cost)] as const),
    ...CALLERS.map((name) => [Array.prototype, name, calls] as const),
    ...COLLECTIONS.flatMap((owner) => ASKED.map((name) => [owner, name, once] as const)),
    ...ITERATORS.map((owner) => [owner, "next", once] as const),
  ].map(([owner, name, make]) => replace(owner, name, (original) => make(original, count)));
}

interface Call {
  /** Of the array before the call. */
  readonly length: number;
  readonly given: readonly unknown[];
  readonly result: unknown;
}

const ofResult = ({ result }: Call): number => lengthOf(result);
const ofArray = ({ length }: Call): number => length;

/** What walks over elements by itself. */
const WALKS: Readonly<Record<string, (call: Call) => number>> = {
  concat: ofResult,
  flat: ofResult,
  slice: ofResult,
  toReversed: ofResult,
  toSpliced: ofResult,
  with: ofResult,
  fill: ofArray,
  includes: ofArray,
  join: ofArray,
  lastIndexOf: ofArray,
  reverse: ofArray,
  shift: ofArray,
  unshift: ofArray,
  // Up to what was found, else all.
  indexOf: ({ length, result }) => (Number(result) < 0 ? length : Number(result) + 1),
  // What stands behind moves, unless as many come as go.
  splice: ({ length, given: [start, , ...added], result }) =>
    lengthOf(result) === added.length ? added.length : Math.max(0, length - Number(start)),
};

/** What calls a function for elements. */
const CALLERS: readonly string[] = [
  ..."every filter find findIndex findLast findLastIndex flatMap forEach map".split(" "),
  ..."reduce reduceRight some sort toSorted".split(" "),
];

const COLLECTIONS = [Map.prototype, Set.prototype, WeakMap.prototype, WeakSet.prototype];
const ASKED = ["add", "delete", "get", "has", "set"];

/** Of spreads, loops, destructuring, and of `new Map` and `new Set`. */
const ITERATORS: readonly object[] = [[].values(), new Map().values(), new Set().values()].map(
  (iterator) => Reflect.getPrototypeOf(iterator) ?? iterator,
);

function walks(cost: (call: Call) => number): (original: Method, count: Count) => Method {
  return (original, count) =>
    function (this: unknown, ...given) {
      const length = lengthOf(this);
      const result = Reflect.apply(original, this, given);
      count(cost({ length, given, result }));
      return result;
    };
}

function calls(original: Method, count: Count): Method {
  return function (this: unknown, ...given) {
    const [called, ...others] = given;
    if (!isMethod(called)) return Reflect.apply(original, this, given);
    const counted = function (this: unknown, ...values: unknown[]): unknown {
      count(1);
      return Reflect.apply(called, this, values);
    };
    return Reflect.apply(original, this, [counted, ...others]);
  };
}

function once(original: Method, count: Count): Method {
  return function (this: unknown, ...given) {
    count(1);
    return Reflect.apply(original, this, given);
  };
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function replace(owner: object, name: string, make: (original: Method) => Method): () => void {
  const before = Reflect.getOwnPropertyDescriptor(owner, name);
  const original: unknown = before?.value;
  if (before === undefined || !isMethod(original)) return () => {};
  Reflect.defineProperty(owner, name, { ...before, value: make(original) });
  return () => {
    Reflect.defineProperty(owner, name, before);
  };
}

function isMethod(value: unknown): value is Method {
  return typeof value === "function";
}
