import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A project with packages installed by npm, in a temporary folder. */
export interface FixtureProject extends Disposable {
  readonly folder: string;
  /** `name@version licence`, in order. */
  readonly licences: readonly string[];
}

/** Installs so many packages, one of them twice in two versions, one without a licence, two that are not permissive. */
export function fixtureProject(count: number): FixtureProject {
  const folder = mkdtempSync(join(tmpdir(), "licence-audit-"));
  const modules = join(folder, "node_modules");
  const lock: Record<string, object> = {};
  const licences: string[] = [];
  const install = (
    place: string,
    name: string,
    version: string,
    licence: string | { readonly type: string } | undefined,
    text: string,
  ) => {
    const at = join(modules, place);
    mkdirSync(at, { recursive: true });
    const manifest = {
      name,
      version,
      license: licence,
      description: "Does one thing. ".repeat(30),
    };
    writeFileSync(join(at, "package.json"), JSON.stringify(manifest, undefined, 2));
    if (text !== "") writeFileSync(join(at, "LICENSE"), text);
    lock[`node_modules/${place}`] = { version, resolved: `https://example.test/${name}.tgz` };
    const said = typeof licence === "object" ? licence.type : (licence ?? "none");
    licences.push(`${name}@${version} ${said}`);
  };
  install(
    "copyleft",
    "copyleft",
    "2.0.0",
    "GPL-3.0-only",
    "\n  GNU GENERAL PUBLIC LICENSE\nVersion 3\n",
  );
  install(
    "@scope/lib",
    "@scope/lib",
    "1.0.0-rc.1",
    { type: "MPL-2.0" },
    "Mozilla Public License\n",
  );
  install("@scope/lib/node_modules/copyleft", "copyleft", "1.0.0", "ISC", "");
  install("silent", "silent", "0.1.0", undefined, "");
  for (let n = licences.length + 1; n <= count; n++) {
    install(`package-${n}`, `package-${n}`, `1.0.${n}`, n % 5 === 0 ? "Apache-2.0" : "MIT", "");
  }
  mkdirSync(modules, { recursive: true });
  const file = { name: "fixture", lockfileVersion: 3, requires: true, packages: lock };
  writeFileSync(join(modules, ".package-lock.json"), JSON.stringify(file, undefined, 2));
  return {
    folder,
    licences: licences.toSorted(),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** Two packages as pnpm lays them out, beside one of another system, and one that a former install left behind. */
export function pnpmProject(): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "licence-audit-"));
  const store = join(folder, "node_modules/.pnpm");
  const install = (id: string): string => {
    const name = id.slice(0, id.lastIndexOf("@"));
    const at = join(store, id.replaceAll("/", "+"), "node_modules", name);
    mkdirSync(at, { recursive: true });
    writeFileSync(
      join(at, "package.json"),
      JSON.stringify({ name, version: id.slice(name.length + 1), license: "MIT" }),
    );
    return at;
  };
  const link = (target: string, path: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  link(install("b@2.0.0"), join(folder, "packages/app/node_modules/b"));
  link(install("@scope/a@1.0.0"), join(store, "b@2.0.0/node_modules/@scope/a"));
  install("left-behind@1.0.0");
  const ids = ["'@scope/a@1.0.0'", "b@2.0.0", "other-system@1.0.0"];
  const list = ids.map((id) => `  ${id}:\n    resolution: {integrity: sha512-0}\n\n`).join("");
  writeFileSync(
    join(store, "lock.yaml"),
    `lockfileVersion: '9.0'\n\npackages:\n\n${list}snapshots:\n\n  b@2.0.0: {}\n`,
  );
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
