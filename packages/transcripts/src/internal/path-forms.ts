/** A path resolved against a working folder, and the forms in which a text may name it. */
export interface PathForms {
  readonly absolute: string;
  /** As it stands, from the root, below the working folder; each once. */
  readonly forms: readonly string[];
}

/** Resolves `.` and `..`; a path from a home folder stays as it is. */
export function pathForms(path: string, cwd: string | undefined): PathForms {
  const isRooted = /^(?:[/~]|[A-Za-z]:)/.test(path);
  const whole = isRooted || cwd === undefined ? path : `${cwd}/${path}`;
  const absolute = resolved(whole);
  const below = cwd !== undefined && absolute.startsWith(`${cwd}/`);
  const relative = below ? absolute.slice(cwd.length + 1) : absolute;
  return { absolute, forms: [...new Set([path, absolute, relative])] };
}

function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && (part !== "" || parts.length === 0)) parts.push(part);
  }
  return parts.join("/");
}
