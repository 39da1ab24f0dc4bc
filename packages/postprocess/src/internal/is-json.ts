/** Returns whether a text as a whole is a JSON object or array: what a program reads, and not prose. */
export function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
