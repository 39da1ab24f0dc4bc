/** Caches the result of a function for each object. */
export function remembered<Given extends object, Result>(
  make: (given: Given) => Result,
): (given: Given) => Result {
  const known = new WeakMap<Given, { readonly result: Result }>();
  return (given) => {
    const before = known.get(given) ?? { result: make(given) };
    known.set(given, before);
    return before.result;
  };
}
