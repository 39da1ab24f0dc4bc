/** Reads a value that may be strange; gives `otherwise` where that throws. */
export function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
