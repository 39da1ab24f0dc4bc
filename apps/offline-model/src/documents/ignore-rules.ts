import ignore from "ignore";

/** Decides what of a folder is not looked at. */
export interface IgnoreRules {
  /** Returns whether a path below the opened folder is ignored. */
  readonly ignores: (path: string, isFolder: boolean) => boolean;
  /** Adds the `.gitignore` that stands in `folder`; the rules of an inner folder go before those of an outer one. */
  readonly within: (folder: string, gitignore: string) => IgnoreRules;
}

/** What nobody asks about: history, packages of others, and what is built. */
const NEVER_READ = new Set([".git", ".hg", ".svn", ".turbo", "coverage", "dist", "node_modules"]);

/** Begins with the names that are never read. */
export function ignoreRules(): IgnoreRules {
  return {
    ignores: (path) => NEVER_READ.has(path.slice(path.lastIndexOf("/") + 1)),
    within: (folder, gitignore) => addRules(ignoreRules(), folder, gitignore),
  };
}

function addRules(outer: IgnoreRules, folder: string, gitignore: string): IgnoreRules {
  const matcher = ignore().add(gitignore);
  const base = folder === "" ? "" : `${folder}/`;
  const rules: IgnoreRules = {
    ignores: (path, isFolder) => {
      const inner = path.slice(base.length) + (isFolder ? "/" : "");
      const { ignored, unignored } = matcher.test(inner);
      return ignored || (!unignored && outer.ignores(path, isFolder));
    },
    within: (inner, text) => addRules(rules, inner, text),
  };
  return rules;
}
