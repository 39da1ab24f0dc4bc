import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A Debian release other than that of this machine, with its own C library. */
interface OtherRelease {
  readonly suite: string;
}

/**
 * Downloads packages with their dependencies, and unpacks them into `<work>/root`. Installs nothing and needs no privileges.
 *
 * By default they come from the machine's own sources and bring what the machine lacks; of another release they bring everything.
 */
export async function unpackPackages(
  work: string,
  { packages, release }: { readonly packages: readonly string[]; readonly release?: OtherRelease },
): Promise<void> {
  const [state, cache] = [join(work, "state"), join(work, "packages")];
  await mkdir(join(state, "lists/partial"), { recursive: true });
  await mkdir(join(cache, "archives/partial"), { recursive: true });
  const own = [`Dir::State=${state}`, `Dir::Cache=${cache}`, "Debug::NoLocking=1"];
  own.push("APT::Sandbox::User=", ...(await sourcesOf(state, release)));
  const apt = ["-qq", "-y", ...own.flatMap((option) => ["-o", option])];
  await run("apt-get", [...apt, "update"]);
  const download = [...apt, "--no-install-recommends", "--download-only", "install"];
  await run("apt-get", [...download, ...packages]);
  for (const archive of globSync("*.deb", { cwd: join(cache, "archives") })) {
    await run("dpkg", ["-x", join(cache, "archives", archive), join(work, "root")]);
  }
}

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const MIRROR = "http://deb.debian.org/debian";

async function sourcesOf(
  state: string,
  release: OtherRelease | undefined,
): Promise<readonly string[]> {
  if (release === undefined) return ["Dir::State::status=/var/lib/dpkg/status"];
  const [list, status] = [join(state, "sources.list"), join(state, "no-packages")];
  await writeFile(list, `deb [signed-by=${KEYRING}] ${MIRROR} ${release.suite} main\n`);
  await writeFile(status, "");
  return [
    `Dir::Etc::sourcelist=${list}`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State::status=${status}`,
  ];
}
