import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A package that is installed, and its licence as its manifest says. */
export interface InstalledLicence {
  /** As `name@version`. */
  readonly id: string;
  readonly licence: string;
  readonly folder: string;
}

/**
 * Counts what is installed by the lockfile that npm or pnpm keeps beside it, and reads each manifest where the lockfile says that it lies. The
 * tools of the team walk folders instead: the two share no code. Nothing where there is no such lockfile.
 */
export function installedLicences(folder: string): readonly InstalledLicence[] | undefined {
  const modules = join(folder, "node_modules");
  const places = placesByNpm(modules) ?? placesByPnpm(modules);
  const found = places?.flatMap(({ id, folder: at }) => {
    const path = join(at, "package.json");
    // A lockfile names packages for other systems, too.
    return existsSync(path)
      ? [{ id, folder: at, licence: licenceIn(readFileSync(path, "utf8")) }]
      : [];
  });
  return found && [...new Map(found.map((one) => [one.id, one])).values()];
}

/** The first line of a package's licence text. */
export function firstLicenceLine({ folder }: InstalledLicence): string | undefined {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying|unlicense)/i.test(name));
  if (file === undefined) return undefined;
  return readFileSync(join(folder, file), "utf8").trim().split("\n", 1)[0]?.trim();
}

type Place = Pick<InstalledLicence, "id" | "folder">;

function placesByNpm(modules: string): readonly Place[] | undefined {
  const path = join(modules, ".package-lock.json");
  if (!existsSync(path)) return undefined;
  const lock = readFileSync(path, "utf8");
  // Two spaces more than the list of packages: "node_modules/a": { "version": "1.0.0".
  const items = lock.matchAll(
    /^ {4}"node_modules\/((?:.*node_modules\/)?(.+))": \{\n {6}(?:"name": "(.+)",\n {6})?"version": "(.+)"/gm,
  );
  return Array.from(items, ([, place = "", name = "", alias, version = ""]) => {
    return { id: `${alias ?? name}@${version}`, folder: join(modules, place) };
  });
}

function placesByPnpm(modules: string): readonly Place[] | undefined {
  const path = join(modules, ".pnpm/lock.yaml");
  if (!existsSync(path)) return undefined;
  const [, packages = ""] = readFileSync(path, "utf8").split(/^packages:$/m);
  const [list = ""] = packages.split(/^snapshots:$/m);
  const folders = readdirSync(join(modules, ".pnpm"));
  return Array.from(list.matchAll(/^ {2}'?(\S+?@[^':]+)'?:$/gm), ([, id = ""]) => {
    const name = id.slice(0, id.lastIndexOf("@"));
    const stem = id.replaceAll("/", "+");
    const at = folders.find((each) => each === stem || each.startsWith(`${stem}_`)) ?? stem;
    return { id, folder: join(modules, ".pnpm", at, "node_modules", name) };
  });
}

function licenceIn(manifest: string): string {
  const { license, licenses }: { license?: unknown; licenses?: unknown } = JSON.parse(manifest);
  const said = JSON.stringify(license ?? licenses) ?? '"none"';
  return /"type":"([^"]+)"/.exec(said)?.[1] ?? /"([^"]+)"/.exec(said)?.[1] ?? "none";
}
