/** Hides what a person or a project could be known by. */
export interface Redactor {
  /** A file or folder: `file-1.ts`. The same path gives the same name. */
  readonly path: (path: string) => string;
  /** The id of a session: `session-1`. */
  readonly session: (id: string) => string;
  /** The id of a message, a call or an agent: `id-1`. */
  readonly id: (id: string) => string;
  /** Free text: its length. */
  readonly text: (text: string) => string;
}

/** Hides, or leaves everything as it is. */
export function redactor(isOn: boolean): Redactor {
  if (!isOn) return { path: same, session: same, id: same, text: same };
  const paths = numbered("file-");
  return {
    path: (path) => paths(path) + (/\.[A-Za-z]{1,5}$/.exec(path)?.[0] ?? ""),
    session: numbered("session-"),
    id: numbered("id-"),
    text: (text) => `(${text.length} characters)`,
  };
}

function same(text: string): string {
  return text;
}

function numbered(prefix: string): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text) ?? `${prefix}${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}
