import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder that goes when the test is over. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** Makes a folder with files, by their paths. */
export async function temporaryFolder(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "demo-agent-")));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
