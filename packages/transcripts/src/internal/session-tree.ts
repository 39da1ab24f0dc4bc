/** Remembers which message each id of a tree's lines belongs to. */
export interface SessionTree {
  /** Whether a line of this id was read. */
  readonly has: (id: string) => boolean;
  /** Adds a line that belongs to the message of `node`; without one, to that of its parent. */
  readonly add: (id: string, node: string | undefined) => void;
  /** The message that a line with this parent answers: none at a root. Where the parent is missing from the file, the newest of that agent. */
  readonly nodeOf: (parent: string | undefined, agentId: string | undefined) => string | undefined;
  /** Adds a line that begins a message of an agent. */
  readonly begin: (id: string, agentId: string | undefined) => void;
}

export function sessionTree(): SessionTree {
  const nodes = new Map<string, string | undefined>();
  const newest = new Map<string, string>();
  return {
    has: (id) => nodes.has(id),
    add: (id, node) => void nodes.set(id, node),
    nodeOf: (parent, agentId) => {
      if (parent === undefined) return undefined;
      return nodes.has(parent) ? nodes.get(parent) : newest.get(agentId ?? "");
    },
    begin: (id, agentId) => {
      nodes.set(id, id);
      newest.set(agentId ?? "", id);
    },
  };
}
