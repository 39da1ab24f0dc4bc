import type { Asked } from "./fit-pasted.ts";

/** Three conversations to begin with. */
export const SAMPLES: Readonly<Record<string, Asked>> = {
  "A long chat": { text: longChat(), model: "gpt-5", windowTokens: 600, quotes: true },
  "A tool loop": { text: toolLoop(), model: "claude-opus-5-5", windowTokens: 6000 },
  "A bricked session": { text: brickedSession(), model: "gpt-5" },
};

/** A journey is planned for weeks; the last question is about what was said in its first minutes. */
function longChat(): string {
  const cities = [
    ["Lisbon", "the tram to Graça", "grilled sardines", "a guest house in Alfama"],
    ["Porto", "the bridge at dusk", "francesinha", "a room above a cellar in Gaia"],
    ["Coimbra", "the library with its bats", "roast kid", "a house beside the garden"],
    ["Évora", "the chapel of bones", "bread soup", "a convent that takes guests"],
    ["Faro", "the boat through the lagoon", "clams with coriander", "a pension at the station"],
    ["Sintra", "the well of the Regaleira", "pastries with almonds", "a villa in the hills"],
  ];
  const said = [
    "Plan a journey through Portugal.",
    "With pleasure. How much may it cost?",
    "My budget is 1,840 euros, and I do not fly.",
    "1,840 euros, by train then. Which cities do you want to see?",
    ...cities.flatMap(([city, sight, dish, bed]) => [
      `What must we see in ${city}?`,
      `Take half a day for ${sight}. Go early: after eleven the groups arrive, and in the afternoon it is hot. Tickets are sold at the door, cash only on Mondays. From there it is a short walk to the market, where people of ${city} have breakfast.`,
      `And to eat and sleep in ${city}?`,
      `Order ${dish} where the menu is written by hand, and leave room for dessert. For the nights I would book ${bed}: it is quiet, has breakfast until ten, and can be cancelled two days before. Ask for a room to the yard.`,
    ]),
    "What was my budget again?",
  ];
  return json([
    { role: "system", content: "You plan journeys. Answer in short paragraphs." },
    ...said.map((content, nth) => ({ role: nth % 2 === 0 ? "user" : "assistant", content })),
  ]);
}

/** An agent looks for a fault in a service, and each of its calls returns a page of log. */
function toolLoop(): string {
  const rounds = Array.from({ length: 12 }, (_, round) => {
    const id = `toolu_${round + 1}`;
    const thinking = `Page ${round} shows retries of single jobs and no cause. The cause may stand on page ${round + 1}, which is of the minutes after.`;
    const signature = btoa(`signed by the provider, ${round}`);
    const log = Array.from(
      { length: 24 },
      (_line, nth) =>
        `12:${10 + round}:${10 + nth} worker-${nth % 4} retry ${nth} of job ${round}${nth}`,
    );
    const reasoning = { type: "thinking", thinking, signature };
    const call = { type: "tool_use", id, name: "read_log", input: { page: round + 1 } };
    const result = { type: "tool_result", tool_use_id: id, content: log.join("\n") };
    return [
      { role: "assistant", content: [reasoning, call] },
      { role: "user", content: [result] },
    ];
  });
  const question = "Why do jobs of the night run fail? Read the log.";
  return json({
    system: "You operate a queue. Read logs before you answer.",
    messages: [{ role: "user", content: question }, ...rounds.flat()],
  });
}

/** What an abort, a retry and another SDK leave behind: each request with it is answered with 400. */
function brickedSession(): string {
  const call = (id: string, city: string): object => ({
    id,
    type: "function",
    function: { name: "find_flights", arguments: JSON.stringify({ to: city }) },
  });
  return json([
    { role: "user", content: "Two flights: one to Rome, one to Oslo." },
    { role: "assistant", content: null, tool_calls: [call("c1", "Rome"), call("c2", "Oslo")] },
    { role: "tool", tool_call_id: "c1", content: "Rome: 09:40, 118 euros." },
    { role: "user", content: "Are you still there?" },
    { role: "assistant", content: null, tool_calls: [call("c1", "Oslo")] },
    { role: "tool", tool_call_id: "c9", content: "Oslo: 11:05, 142 euros." },
    { role: "assistant", content: "" },
    { role: "user", content: "Which one is cheaper? \ud83d" },
  ]);
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 1);
}
