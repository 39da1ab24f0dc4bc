import type { PublishedPackage } from "./workspace-packages.ts";

/** What a changeset asks for. */
interface Release {
  readonly name: string;
  readonly type: "major" | "minor" | "patch" | "none";
}

const core = "@agent-history/core";

/**
 * Returns the packages that must be released as a major with core, and are not.
 *
 * What users hold is core's: its entries and plans pass from package to package. Two packages of one major must therefore
 * stand on one major of core; otherwise installing both would install core twice.
 */
export function missingMajors(
  releases: readonly Release[],
  packages: readonly Pick<PublishedPackage, "name" | "dependencies">[],
): string[] {
  const majors = new Set(releases.filter(({ type }) => type === "major").map(({ name }) => name));
  if (!majors.has(core)) return [];
  return packages
    .filter(({ name, dependencies }) => core in dependencies && !majors.has(name))
    .map(({ name }) => name);
}
