/** Hides what could identify a person or project. */
export interface Redactor {
  /** Replaces a path, e.g. by `file-1.ts`. The same path gives the same name. */
  readonly path: (path: string) => string;
  /** Replaces a session id, e.g. by `session-1`. */
  readonly session: (id: string) => string;
  /** Replaces the id of a message, call or agent, e.g. by `id-1`. */
  readonly id: (id: string) => string;
  /** Replaces free text by its length. */
  readonly text: (text: string) => string;
}

/** Creates a redactor; if `isOn` is false, it changes nothing. */
export function redactor(isOn = false): Redactor {
  const hide = (change: (text: string) => string) => (isOn ? change : (text: string) => text);
  const paths = numbered("file-");
  return {
    path: hide((path) => paths(path) + (/\.[A-Za-z]{1,5}$/.exec(path)?.[0] ?? "")),
    session: hide(numbered("session-")),
    id: hide(numbered("id-")),
    text: hide((text) => `(${text.length} characters)`),
  };
}

function numbered(prefix: string): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text) ?? `${prefix}${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}
