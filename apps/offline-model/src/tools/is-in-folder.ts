/** Returns whether a path lies below a folder, however the folder is written. Every path lies below the empty one. */
export function isInFolder(path: string, folder: string): boolean {
  const parts = folder.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || path.startsWith(`${parts.join("/")}/`);
}
