import type { PackedManifest, Tarball } from "./pack-packages.ts";

/**
 * Says what is wrong with a tarball: a file that users do not need, one that they miss, a dependency that only this workspace
 * understands, a script that would run at theirs. An empty list where it is right.
 */
export function tarballProblems({
  paths,
  manifest,
}: Pick<Tarball, "paths" | "manifest">): string[] {
  return [
    ...paths.filter((path) => !belongs(path)).map((path) => `${path} does not belong`),
    ...[...required, ...targets(manifest)]
      .filter((path) => !paths.includes(path))
      .map((path) => `${path} is missing`),
    ...ranges(manifest)
      .filter(([, range]) => !versionRange.test(range))
      .map(([name, range]) => `${name} is wanted as ${range}, which is no range of versions`),
    ...installScripts
      .filter((script) => manifest.scripts?.[script] !== undefined)
      .map((script) => `the script ${script} would run at the user's`),
    ...shown.filter((field) => !manifest[field]?.length).map((field) => `${field} is missing`),
    ...(manifest.repository?.directory === undefined ? ["repository.directory is missing"] : []),
  ];
}

const required = ["LICENSE", "README.md", "package.json"];
const installScripts = ["preinstall", "install", "postinstall", "prepare"];
/** A range of versions, not `workspace:`, `catalog:`, `file:`, `link:` or an address. */
const versionRange = /^[^:/]+$/;
/** What the registry's page shows. By the folder it finds what a README links to. */
const shown = ["homepage", "bugs", "author", "keywords"] as const;

/** JavaScript once, as it was bundled, declarations and guides: no sources, no source maps. */
function belongs(path: string): boolean {
  return PUBLISHED.test(path) || required.includes(path) || path === "CHANGELOG.md";
}

const PUBLISHED = /^(dist\/(bundle\/.+\.(js|d\.ts)|page\/\w+\.(js|txt))|(docs\/.+|SKILL)\.md)$/;

/** The files that `exports`, `imports` and `bin` promise, and the declarations of exports. */
function targets({ exports = {}, imports = {}, bin = {} }: PackedManifest): string[] {
  const declarations = Object.values(exports)
    .filter((target) => target.endsWith(".js"))
    .map((target) => target.replace(/js$/, "d.ts"));
  return [exports, imports, bin]
    .flatMap((targetsOf) => Object.values(targetsOf))
    .flatMap((target) => (typeof target === "string" ? target : Object.values(target)))
    .concat(declarations)
    .map((target) => target.replace("./", ""));
}

function ranges(manifest: PackedManifest): [string, string][] {
  const { dependencies, peerDependencies, optionalDependencies } = manifest;
  return Object.entries({ ...dependencies, ...peerDependencies, ...optionalDependencies });
}
