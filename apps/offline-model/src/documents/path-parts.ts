/** A path in two: the folders above, and the name without its extension. */
export function pathParts(path: string): { readonly folder: string; readonly name: string } {
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1).replace(/(?<=.)\.[^.]*$/, "");
  return { folder: path.slice(0, Math.max(slash, 0)), name };
}
