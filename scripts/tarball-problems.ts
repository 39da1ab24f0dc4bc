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
    ...[...required, ...targets(manifest), ...builtFiles(paths), ...sources(paths)]
      .filter((path) => !paths.includes(path))
      .map((path) => `${path} is missing`),
    ...ranges(manifest)
      .filter(([, range]) => !versionRange.test(range))
      .map(([name, range]) => `${name} is wanted as ${range}, which is no range of versions`),
    ...installScripts
      .filter((script) => manifest.scripts?.[script] !== undefined)
      .map((script) => `the script ${script} would run at the user's`),
  ];
}

const required = ["LICENSE", "README.md", "package.json"];
const installScripts = ["preinstall", "install", "postinstall", "prepare"];
/** A range of versions, not `workspace:`, `catalog:`, `file:`, `link:` or an address. */
const versionRange = /^[^:/]+$/;
/** The kinds of file that the compiler makes of one source. */
const built = [".js", ".js.map", ".d.ts", ".d.ts.map"];
const forTests =
  /\.(test|bench|test-d)\.ts$|(^|\/)(__\w+__|bench|chaos|fixtures|test-[\w-]+)\/|^src\/.*\.d\.ts$/;

function belongs(path: string): boolean {
  if (required.includes(path) || path === "CHANGELOG.md") return true;
  if (forTests.test(path)) return false;
  return path.startsWith("src/")
    ? path.endsWith(".ts")
    : /^dist\/.+\.(js|d\.ts)(\.map)?$|^dist\/page\/licenses\.txt$|^bin\/[^/]+\.js$/.test(path);
}

/** The files that `exports` and `imports` promise. */
function targets({ exports = {}, imports = {} }: PackedManifest): string[] {
  return [...Object.values(exports), ...Object.values(imports)]
    .flatMap((target) => (typeof target === "string" ? target : Object.values(target)))
    .map((target) => target.replace("./", ""));
}

/** What every source is built to. */
function builtFiles(paths: readonly string[]): string[] {
  return paths
    .filter((path) => path.startsWith("src/") && belongs(path))
    .flatMap((path) =>
      built.map((ending) => path.replace("src/", "dist/").replace(/\.ts$/, ending)),
    );
}

/** What every built file comes from: a debugger is led there, and a file without it was left by an older build. */
function sources(paths: readonly string[]): string[] {
  return paths
    .filter((path) => /^dist\/(?!bundle\/|page\/).+\.js$/.test(path))
    .map((path) => path.replace("dist/", "src/").replace(/\.js$/, ".ts"));
}

function ranges(manifest: PackedManifest): [string, string][] {
  const { dependencies, peerDependencies, optionalDependencies } = manifest;
  return Object.entries({ ...dependencies, ...peerDependencies, ...optionalDependencies });
}
