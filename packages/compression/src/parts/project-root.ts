/** Turns paths into the form that is shortest and still certain: below the root of the project. */
export interface PathForms {
  /** Ends without a slash; empty where there is none. */
  readonly root: string;
  readonly short: (path: string) => string;
}

/** A root has this share of the absolute paths below it. */
const LEAST_SHARE = 0.5;
/** This many relative paths below it prove a root. */
const LEAST_VOTES = 2;

/**
 * Finds the folder that relative paths start from: among the folders of the absolute paths, the one below which most of the
 * relative ones exist too, and else the deepest that most of them share. Linear in paths and their parts.
 *
 * @param used - What calls named.
 * @param mentioned - What stands anywhere else.
 */
export function pathForms(used: readonly string[], mentioned: readonly string[]): PathForms {
  const relative = new Set<string>();
  for (const path of [...used, ...mentioned]) {
    if (!path.startsWith("/")) relative.add(path.replace(/^\.\//, ""));
  }
  // Where calls name files by their whole path, those say where the work is.
  const named = used.filter((path) => path.startsWith("/"));
  const absolute = new Set(
    named.length > 0 ? named : mentioned.filter((path) => path.startsWith("/")),
  );
  const below = new Map<string, number>();
  const votes = new Map<string, number>();
  for (const path of absolute) {
    for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) {
      const folder = path.slice(0, at);
      below.set(folder, (below.get(folder) ?? 0) + 1);
      if (relative.has(path.slice(at + 1))) votes.set(folder, (votes.get(folder) ?? 0) + 1);
    }
  }
  const root = bestRoot(below, votes, absolute.size);
  return {
    root,
    short: (path) => {
      const plain = path.replace(/^\.\//, "");
      if (root !== "" && plain.startsWith(`${root}/`)) return plain.slice(root.length + 1);
      // What a diff puts before both sides of it.
      const side = /^[ab]\//.test(plain) ? plain.slice(2) : "";
      return side !== "" && (relative.has(side) || absolute.has(`${root}/${side}`)) ? side : plain;
    },
  };
}

function bestRoot(
  below: ReadonlyMap<string, number>,
  votes: ReadonlyMap<string, number>,
  count: number,
): string {
  let root = "";
  let most = 0;
  for (const [folder, number] of below) {
    const vote = votes.get(folder) ?? 0;
    if (vote < LEAST_VOTES && number < count * LEAST_SHARE) continue;
    if (folder.split("/").length < 3) continue;
    if (vote > most || (vote === most && most === 0 && folder.length > root.length)) {
      root = folder;
      most = vote;
    }
  }
  return root;
}
