import { count, dollars, percent, PRICE, samePrefix } from "../harness.ts";
import type { Measured, RunOptions } from "../harness.ts";
import { messageCounter } from "../messages/chat-message.ts";
import type { ChatMessage } from "../messages/chat-message.ts";
import { prose } from "../messages/generate-history.ts";
import { seededRandom } from "../messages/random.ts";
import { allSystems } from "../systems/all-systems.ts";
import type { FitSystem } from "../systems/all-systems.ts";

/** What 1,000 calls of a growing conversation cost, where an unchanged prefix is billed at the cached price. */
export async function measureCache({ isQuick, withPeers }: RunOptions): Promise<Measured> {
  const calls = isQuick ? 60 : 1000;
  const windowTokens = isQuick ? 2000 : 8000;
  const rows: (readonly string[])[] = [];
  for (const system of await allSystems(withPeers)) {
    rows.push(await rowOf(system, calls, windowTokens));
  }
  return {
    tables: [
      {
        title: "Cost of 1,000 calls",
        note: `A question and an answer of some 150 tokens at each of ${count(calls)} calls, window of ${count(windowTokens)} tokens. Prefix: share of all tokens sent that the request before began with, too. Cost: input at $${PRICE.input} a million tokens, $${PRICE.cachedInput} where the prefix is unchanged (GPT-5.1's list price); what a summarizing model is sent is in it, its answers are not. No model is called: summaries are one fixed sentence.`,
        head: [
          "system",
          "prefix unchanged",
          "window full",
          "sent to a summarizer",
          "cost",
          "leaves out",
        ],
        rows,
      },
    ],
  };
}

async function rowOf(
  system: FitSystem,
  calls: number,
  windowTokens: number,
): Promise<readonly string[]> {
  const { countRequest } = messageCounter();
  const random = seededRandom(7);
  const conversation = system.open([{ role: "system", content: prose(random, 100) }], windowTokens);
  let previous: readonly ChatMessage[] = [];
  let [sent, prefix] = [0, 0];
  for (let call = 0; call < calls; call++) {
    conversation.append([{ role: "user", content: prose(random, 60) }]);
    const request = (await conversation.fit())();
    sent += countRequest(request);
    prefix += countRequest(samePrefix(previous, request, (message) => JSON.stringify(message)));
    previous = request;
    conversation.append([{ role: "assistant", content: prose(random, 90) }]);
  }
  const summarized = conversation.summarized?.() ?? 0;
  return [
    system.name,
    percent(prefix / sent),
    percent(sent / calls / windowTokens),
    count(summarized),
    `$${dollars(sent - prefix + summarized, prefix).toFixed(2)}`,
    system.hasNoWindow === true ? "the window" : system.leavesOut,
  ];
}
