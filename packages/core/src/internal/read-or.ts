/** Reads a value; returns `otherwise` if that throws. */
export function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
