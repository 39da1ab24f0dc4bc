import type { FoundThread } from "./look-up-thread.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import { logKey } from "./tree-keys.ts";
import { decodeAncestry, encodeAncestry, neededLogs } from "./tree.ts";
import type { Ancestor, Tree } from "./tree.ts";

/** Where the logs of a tree are, once the end of a thread's was replaced. */
export interface LogsAfter {
  /** The name that the thread's log so far gets; the log's own where it gets none. */
  readonly renamed: string;
  /** Whether the log so far is still needed. */
  readonly isKept: boolean;
  readonly ancestry: readonly Ancestor[];
  /** Threads that share of it: their metas, and where their entries are then. */
  readonly forks: readonly { readonly key: string; readonly ancestry: string }[];
  /** Logs that nobody needs any more. */
  readonly unneeded: readonly string[];
}

/**
 * Works out what becomes of a log: it gets a name that no branch has, and the thread goes on in a new one. Forks know it by its new name. A short thread
 * has no log.
 */
export function logsAfter(
  tree: Tree,
  location: ThreadLocation,
  {
    found: { short, ancestry: older },
    position,
    nth,
    isEmptied,
  }: {
    readonly found: FoundThread;
    readonly position: number;
    readonly nth: number;
    readonly isEmptied: boolean;
  },
): LogsAfter {
  const { branch, tag } = location;
  if (short !== undefined) {
    return { renamed: location.log, isKept: false, ancestry: [], forks: [], unneeded: [] };
  }
  // No name of a branch has an @: it would be encoded.
  const name = `${branch}@${nth}`;
  const own = cut([...older, { branch: name, upTo: position }], position);
  const ancestry = isEmptied ? [] : own;
  const metaName = `${branch}:m`;
  const names = new Map(tree.names);
  const forks: { key: string; ancestry: string }[] = [];
  for (const [meta, value] of tree.names) {
    const shared = decodeAncestry(value);
    if (meta === metaName || !shared.some((one) => one.branch === branch)) continue;
    const renamed = shared.map((one) => (one.branch === branch ? { ...one, branch: name } : one));
    forks.push({ key: `${tag}${meta}`, ancestry: encodeAncestry(renamed) });
    names.set(meta, encodeAncestry(renamed));
  }
  names.set(metaName, encodeAncestry(ancestry));
  const needed = neededLogs(names);
  const isKept = needed.has(`${name}:l`);
  const unneeded = [...names.keys()].filter((one) => LATER_LOG.test(one) && !needed.has(one));
  return {
    renamed: isKept ? logKey(location, name) : location.log,
    isKept,
    ancestry,
    forks,
    unneeded: unneeded.map((one) => `${tag}${one}`),
  };
}

/** What of an ancestry lies before a position. */
function cut(ancestry: readonly Ancestor[], position: number): readonly Ancestor[] {
  let before = 0;
  return ancestry.flatMap(({ branch, upTo }) => {
    const end = Math.min(upTo, position);
    if (end <= before) return [];
    before = end;
    return { branch, upTo: end };
  });
}

const LATER_LOG = /^[^:]*@\d+:l$/;
