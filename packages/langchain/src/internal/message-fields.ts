/** What a message object of LangChain's is made of, beside what it says. */
const MACHINERY = /^lc_/u;

/** The pieces that `tool_calls` were put together from: said twice, an edit of the calls would not reach the message. */
const PIECES = "tool_call_chunks";

/**
 * Returns what a message says, as fields: of an object of LangChain's classes those that it has itself, without what makes it one; a plain object as it
 * is.
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

/** Returns the type of a message. Classes of `@langchain/core` 0.3 have it as a method only. */
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

/** Reads a field of what LangChain hands over; `undefined` where that is no object. */
export function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}

export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
