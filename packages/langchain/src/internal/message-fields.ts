/** Internal fields of LangChain's message classes; not content. */
const MACHINERY = /^lc_/u;

/** The chunks that `tool_calls` were merged from. They are left out, because edits of the calls do not reach them. */
const PIECES = "tool_call_chunks";

/**
 * Returns the content fields of a message: of a class instance, its own fields without the internal ones; a plain object
 * unchanged.
 */
export function messageFields(message: object): object {
  try {
    if (!isOfClass(message)) return message;
    const fields = Object.fromEntries(
      Object.entries(message).filter(
        ([key, value]) => value !== undefined && key !== PIECES && !MACHINERY.test(key),
      ),
    );
    const type = typeOf(message);
    return type === undefined || "type" in fields ? fields : { type, ...fields };
  } catch {
    return message;
  }
}

/** Returns the type of a message. In classes of `@langchain/core` 0.3 it is a method only. */
export function typeOf(message: object): unknown {
  if ("type" in message) return message.type;
  return "getType" in message && typeof message.getType === "function"
    ? message.getType()
    : undefined;
}

/** Returns the class of a message; `undefined` for a plain object. */
export function classOf(message: object): unknown {
  try {
    return isOfClass(message) ? message.constructor : undefined;
  } catch {
    return undefined;
  }
}

function isOfClass(message: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(message);
  return prototype !== null && prototype !== Object.prototype;
}

/** Reads a field of a value from LangChain; `undefined` if the value is not an object. */
export function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}

export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
