/** Lines of a file. */
export interface SourceRange {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

const URI = /^(\S+)#L(\d+)-L(\d+)$/;

/** Writes a place as `path#L10-L14`; what a URI cannot hold (spaces, brackets, `#`) is escaped. */
export function sourceUri({ path, startLine, endLine }: SourceRange): string {
  return `${path.split("/").map(escapePart).join("/")}#L${startLine}-L${endLine}`;
}

/** Reads a place that {@link sourceUri} wrote; nothing where it is none. */
export function readSourceUri(uri: string): SourceRange | undefined {
  const [, path, startLine, endLine] = URI.exec(uri) ?? [];
  if (path === undefined) return undefined;
  return { path: unescape(path), startLine: Number(startLine), endLine: Number(endLine) };
}

function escapePart(part: string): string {
  return encodeURIComponent(part.toWellFormed())
    .replaceAll("%40", "@")
    .replaceAll("(", "%28")
    .replaceAll(")", "%29");
}

function unescape(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
