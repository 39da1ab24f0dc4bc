import { builtinModules, isBuiltin } from "node:module";
import { gzipSync } from "node:zlib";

import { build, type Metafile } from "esbuild";

import { publishedPackages, rootFolder } from "./workspace-packages.ts";

/**
 * Bundles each published entry for a browser and prints its weight, minified and gzipped, without peers. Fails if one that has to run
 * without Node imports a module of Node's, or if one takes all of zod where it needs a few of its functions.
 */

/** What opens files and sockets runs on Node only. */
const onNode = /\/(store-(sqlite|redis|postgres)|testkit|node)(\/|$)/;

for (const { entries, peers } of publishedPackages()) {
  for (const { name, file } of entries) {
    const { metafile, outputFiles } = await build({
      stdin: { contents: `export * from ${JSON.stringify(file)};`, resolveDir: rootFolder },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      // Node's modules are left out too: what imports them is named instead of failing the build.
      external: [...Object.keys(peers), "@opentelemetry/api", ...builtinModules, "node:*"],
      metafile: true,
      write: false,
      logLevel: "error",
    });
    const size = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
    console.log(`${name.padEnd(40)} ${(size / 1000).toFixed(1).padStart(6)} kB`);
    const problems = onNode.test(name) ? [] : nodeImportsOf(metafile);
    for (const problem of problems) console.error(`${name} must run without Node, but ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    if (takesLocales(metafile)) {
      console.error(
        `${name} takes all of zod: import its functions, or use its namespace only as \`z.name\``,
      );
      process.exitCode = 1;
    }
  }
}

function nodeImportsOf({ inputs }: Metafile): string[] {
  return Object.entries(inputs).flatMap(([importer, { imports }]) =>
    imports
      .filter(({ path, external }) => external === true && isBuiltin(path))
      .map(({ path }) => `${importer} imports ${path}`),
  );
}

/** Zod's messages in other languages, which nothing here asks for, are three quarters of it. */
function takesLocales({ outputs }: Metafile): boolean {
  return Object.values(outputs).some(({ inputs }) =>
    Object.entries(inputs).some(
      ([file, { bytesInOutput }]) => file.includes("/locales/ru.js") && bytesInOutput > 0,
    ),
  );
}
