import type { CliSurroundings } from "./cli-surroundings.ts";
import { jsonReporter } from "./json-reporter.ts";
import { liveReporter } from "./live-reporter.ts";
import { createOutput } from "./output.ts";
import type { Reporter } from "./reporter.ts";
import { splitReporter } from "./split-reporter.ts";
import { textReporter } from "./text-reporter.ts";

/** Chooses who shows a run: events for a program, live progress on a terminal, plain lines in a pipe. */
export function chooseReporter(
  {
    json,
    calls,
    split = false,
  }: { readonly json: boolean; readonly calls: boolean; readonly split?: boolean },
  { stdout, env }: Pick<CliSurroundings, "stdout" | "env">,
): Reporter {
  const output = createOutput(stdout, env);
  if (json) return jsonReporter(output);
  // A dumb terminal cannot go back to a line.
  const isLive = stdout.isTTY === true && env["TERM"] !== "dumb";
  const text = textReporter(output, { everyCall: calls });
  if (split) return splitReporter(output, text);
  return isLive ? liveReporter(stdout, output, text) : text;
}
