import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { downloadOf, packToInstall } from "./test-support/install-packed.ts";
import { publishedPackages, rootFolder } from "./workspace-packages.ts";

/** Prints how much npm downloads for each entry of `agent-history`: the package and all that it needs, which is built, and the peers that the entry asks for. */

const peersOf: Readonly<Record<string, readonly string[]>> = {
  "agent-history/ai-sdk": ["ai"],
  "agent-history/store-postgres": ["pg"],
  "agent-history/store-redis": ["redis"],
};

const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-history-downloads-")));
try {
  packToInstall(folder)("agent-history", folder);
  const whole = join(folder, "node_modules/agent-history");
  const umbrella = publishedPackages().find(({ name }) => name === "agent-history");
  for (const { name } of umbrella?.entries ?? []) {
    const peers = peersOf[name] ?? [];
    const locations = peers.map((peer) => join(rootFolder, "scripts/node_modules", peer));
    const megabytes = (downloadOf(whole, ...locations) / 1e6).toFixed(1);
    console.log(`${name.padEnd(30)} ${megabytes.padStart(5)} MB  ${peers.join(", ")}`.trimEnd());
  }
} finally {
  rmSync(folder, { recursive: true });
}
