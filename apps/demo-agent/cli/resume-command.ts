import type { CliOptions } from "./parse-arguments.ts";

/** Writes the command that continues a thread; nothing where the store ends with the process. */
export function resumeCommand(
  threadId: string,
  { dir, chat }: Pick<CliOptions, "dir" | "chat">,
  storeFlag: string | undefined,
): string | undefined {
  if (storeFlag === undefined) return undefined;
  const flags = [
    `--thread ${quote(threadId)} --resume`,
    ...(dir === undefined ? [] : [`--dir ${quote(dir)}`]),
    ...(storeFlag === "" ? [] : [storeFlag]),
    ...(chat ? ["--chat"] : []),
  ];
  return `npx -y pnpm@12 demo ${flags.join(" ")}`;
}

/** As a shell takes it. */
function quote(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
