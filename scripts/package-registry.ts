import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

import type { RehearsedPackage } from "./version-rehearsal.ts";

/** A registry on this machine that knows versions of packages, and has no files of them. */
export interface PackageRegistry extends AsyncDisposable {
  readonly url: string;
}

/** Serves what npm asks for when it resolves versions, without downloading anything. */
export async function servePackages(
  released: readonly RehearsedPackage[],
): Promise<PackageRegistry> {
  const byName = Map.groupBy(released, ({ name }) => name);
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? "").slice(1);
    const versions = byName.get(name);
    response.writeHead(versions === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(versions === undefined ? {} : describePackage(name, versions)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function describePackage(name: string, versions: readonly RehearsedPackage[]): object {
  return {
    name,
    "dist-tags": { latest: versions.at(-1)?.version },
    versions: Object.fromEntries(
      versions.map((one) => [one.version, { ...one, dist: describeFile(one) }]),
    ),
  };
}

/** Where the files would be. npm asks for a sum, and reads nothing where it only resolves. */
function describeFile({ name, version }: RehearsedPackage): object {
  const shasum = createHash("sha1").update(`${name}@${version}`).digest("hex");
  return { shasum, tarball: `https://registry.invalid/${name}-${version}.tgz` };
}
