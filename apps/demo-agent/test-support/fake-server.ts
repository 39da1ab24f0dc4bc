import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import type { LanguageModelV4Message } from "@ai-sdk/provider";

import { reply } from "../src/scripted/reply.ts";

/** A server that speaks OpenAI's chat completions and streams, with the script behind it. */
export interface FakeServer extends AsyncDisposable {
  readonly baseURL: string;
  /** How many requests it answered. */
  readonly requests: () => number;
}

interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly { readonly text: string }[] | null;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

export async function fakeServer(): Promise<FakeServer> {
  let requests = 0;
  const server = createServer(async (request, response) => {
    const { messages, stream }: { messages: ChatMessage[]; stream?: boolean } = JSON.parse(
      await text(request),
    );
    requests += 1;
    if (stream !== true)
      return void response.writeHead(400).end('{"error":{"message":"This server only streams."}}');
    const { text: said, calls = [] } = reply(promptOf(messages));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta: object, finish: string | null = null): void => {
      const choices = [{ index: 0, delta, finish_reason: finish }];
      response.write(
        `data: ${JSON.stringify({ id: `reply-${requests}`, object: "chat.completion.chunk", created: 1, model: "fake", choices })}\n\n`,
      );
    };
    send({ role: "assistant", content: "" });
    // In pieces, as models write.
    for (const piece of said.match(/[^]{1,200}/g) ?? []) send({ content: piece });
    for (const [index, { name, input }] of calls.entries()) {
      const [head, tail] = [JSON.stringify(input).slice(0, 5), JSON.stringify(input).slice(5)];
      const id = `call-${requests}-${index}`;
      send({ tool_calls: [{ index, id, type: "function", function: { name, arguments: head } }] });
      send({ tool_calls: [{ index, function: { arguments: tail } }] });
    }
    send({}, calls.length > 0 ? "tool_calls" : "stop");
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 80 },
    };
    response.end(
      `data: ${JSON.stringify({ id: "usage", object: "chat.completion.chunk", created: 1, model: "fake", choices: [], usage })}\n\ndata: [DONE]\n\n`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has such an address
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The messages of a chat as the AI SDK's prompt, which the script reads. */
function promptOf(messages: readonly ChatMessage[]): LanguageModelV4Message[] {
  const names = new Map(
    messages.flatMap(({ tool_calls: calls = [] }) =>
      calls.map((call) => [call.id, call.function.name]),
    ),
  );
  const prompt: LanguageModelV4Message[] = [];
  for (const { role, content, tool_calls: calls = [], tool_call_id: id = "" } of messages) {
    const said = {
      type: "text" as const,
      text:
        typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("\n"),
    };
    if (role === "system") prompt.push({ role, content: said.text });
    else if (role === "user") prompt.push({ role, content: [said] });
    else if (role === "assistant") {
      const made = calls.map((call) => ({
        type: "tool-call" as const,
        toolCallId: call.id,
        toolName: call.function.name,
        input: JSON.parse(call.function.arguments),
      }));
      prompt.push({ role, content: [...(said.text === "" ? [] : [said]), ...made] });
    } else {
      const result = {
        type: "tool-result" as const,
        toolCallId: id,
        toolName: names.get(id) ?? "",
        output: { type: "text" as const, value: said.text },
      };
      const last = prompt.at(-1);
      if (last?.role === "tool") last.content.push(result);
      else prompt.push({ role: "tool", content: [result] });
    }
  }
  return prompt;
}
