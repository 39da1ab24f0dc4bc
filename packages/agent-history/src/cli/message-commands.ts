import type { Command } from "commander";

import type { CliContext } from "./cli-context.ts";
import type { CheckCommandOptions } from "./commands/check-messages.ts";
import type { CompressCommandOptions } from "./commands/compress-messages.ts";
import type { FitCommandOptions } from "./commands/fit-messages.ts";
import type { RepairCommandOptions } from "./commands/repair-messages.ts";
import { API_FORMATS, FILE_FORMATS } from "./messages/file-formats.ts";
import type { MessageOptions } from "./messages/message-options.ts";

/** Adds the commands that read messages from a file or a pipe and write messages; `setCode` takes an exit code other than 0. */
export function addMessageCommands(
  program: Command,
  context: CliContext,
  setCode: (code: number) => void,
): void {
  withCounting(withMessages(program.command("fit")))
    .description("trims messages to the context window of a model")
    .option("--reserve <tokens>", "kept free for the answer; default: the model's")
    .option("--tools <file>", "the tools of the request, as its SDK takes them: they count")
    .option("--plan <file>", "continues the plan in the file, and writes the new one there")
    .option("--recall", "quotes old messages that help to answer the newest question")
    .action(async (file: string | undefined, options: FitCommandOptions) => {
      const { fitMessages } = await import("./commands/fit-messages.ts");
      await fitMessages(context, file, options);
    });
  withApi(withMessages(program.command("check")))
    .description("what is broken: calls without results, repeated ids; exit code 1")
    .option("--before <file>", "what the messages were made from: says what was lost or changed")
    .action(async (file: string | undefined, options: CheckCommandOptions) => {
      const { checkMessages } = await import("./commands/check-messages.ts");
      setCode(await checkMessages(context, file, options));
    });
  withApi(withMessages(program.command("repair")))
    .description("repairs messages, or a session so that its tool resumes it; says what it changed")
    .option("--write", "writes a session to its file, and keeps the original beside it")
    .action(async (file: string | undefined, options: RepairCommandOptions) => {
      const { repairMessages } = await import("./commands/repair-messages.ts");
      await repairMessages(context, file, options);
    });
  withMessages(program.command("compress"))
    .description("replaces old messages by a summary, made without a model")
    .option("--model <name>", "whose tokens are counted; default: an estimate")
    .option("--tail <tokens>", "the newest messages that stay word for word", "1000")
    .option("--max <tokens>", "the longest summary; default: a fifth of what it covers")
    .action(async (file: string | undefined, options: CompressCommandOptions) => {
      const { compressMessages } = await import("./commands/compress-messages.ts");
      await compressMessages(context, file, options);
    });
  withMessages(program.command("convert"))
    .description("writes messages, or a session, in another format")
    .action(async (file: string | undefined, options: MessageOptions) => {
      const { convertMessages } = await import("./commands/convert-messages.ts");
      await convertMessages(context, file, options);
    });
}

/** Adds the options of every command on messages. */
function withMessages(command: Command): Command {
  return command
    .argument("[file]", "JSON, JSON lines or a session; default: standard input")
    .option(
      "--from <format>",
      `the format of the messages: ${FILE_FORMATS.join(", ")}; default: recognized`,
    )
    .option("--to <format>", "the format to write; default: that of the messages")
    .option("--json", "prints one JSON object, with what was found or done beside the messages");
}

/** Adds the options that name whose rules hold. */
function withApi(command: Command): Command {
  return command
    .option("--for <api>", `what an API would refuse: ${Object.keys(API_FORMATS).join(", ")}`)
    .option("--host <name>", "who serves OpenAI's format; default: openai");
}

/** Adds the options of what counts tokens. */
function withCounting(command: Command): Command {
  return command
    .option("--model <name>", "gives window and counter; default: the model of the request")
    .option("--window <tokens>", "the context window; default: the model's")
    .option("--estimate", "estimates tokens of a model whose tokenizer is not known");
}
