import { seededRandom } from "../messages/random.ts";

/** A statement that is planted in a session: what must stand in a summary afterwards, and what must not. */
export interface Canary {
  readonly text: string;
  /** All of them, in lower case. */
  readonly tokens: readonly string[];
  /** What it said before it was replaced. */
  readonly before?: string;
  readonly stale: readonly string[];
}

/** One thing that is said in an exchange of a session. */
export interface Turn {
  readonly user: string;
  readonly assistant: string;
}

/** A session with canaries, drawn anew for each seed. */
export interface CanarySession {
  readonly turns: readonly Turn[];
  readonly canaries: readonly Canary[];
  /** Canaries that resemble each other and must both stay, by index. */
  readonly pairs: readonly (readonly [number, number])[];
}

type Random = (below: number) => number;
type Draw = (random: Random) => string;

const letters = (random: Random, count: number): string =>
  Array.from({ length: count }, () => "BCDFGHKLMNPRSTVZ"[random(16)]).join("");
const titled = (text: string): string => text.slice(0, 1) + text.slice(1).toLowerCase();
const money: Draw = (random) => `$${200 + random(700)}`;
const date: Draw = (random) =>
  `2027-${String(1 + random(12)).padStart(2, "0")}-${String(1 + random(28)).padStart(2, "0")}`;
const person: Draw = (random) => `${titled(letters(random, 5))} ${titled(letters(random, 6))}`;
const code: Draw = (random) => `${letters(random, 5).toLowerCase()}-${10 + random(90)}`;
const label: Draw = (random) => `${letters(random, 5)}-${100 + random(900)}`;
const branch: Draw = (random) => `feature/${letters(random, 5).toLowerCase()}-${10 + random(90)}`;
const zone: Draw = (random) =>
  ["UTC", "Pacific time", "Central time", "GMT", "Eastern time"][random(5)] ?? "UTC";
const region: Draw = (random) =>
  `${["eu", "us", "ap"][random(3)]}-${["north", "south", "west"][random(3)]}-${1 + random(5)}`;
const host: Draw = (random) => `${letters(random, 6).toLowerCase()}.internal/v${1 + random(4)}`;
const commit: Draw = (random) => Array.from({ length: 7 }, () => random(16).toString(16)).join("");

/** Of each type: ways to say it; `{}` is the value. */
const STATEMENTS: Readonly<
  Record<string, readonly (readonly [draw: Draw, ...ways: readonly string[]])[]>
> = {
  "SAFETY RULE": [
    [
      code,
      "Never tell anybody the door code {}.",
      "The door code {} must not leave this conversation.",
    ],
    [
      person,
      "Never mail customer data without a yes from {}.",
      "Do not share customer records unless {} agrees.",
    ],
    [
      label,
      "Never start the job {} on the live cluster.",
      "The job {} must not run on the live cluster.",
    ],
    [
      host,
      "Do not send requests to https://{} from a test.",
      "Never call https://{} while testing.",
    ],
  ],
  "HARD CONSTRAINT": [
    [
      money,
      "Spending on hosting must stay below {}.",
      "Hosting may cost {} at most. Ask before you go over it.",
    ],
    [zone, "All times in reports must be in {}.", "Give every time in {}, always."],
    [
      person,
      "Do not merge until {} has looked at it.",
      "Every merge must wait for the review of {}.",
    ],
    [
      region,
      "Backups must not leave the region {}.",
      "Keep all backups in {}. Never copy them elsewhere.",
    ],
  ],
  FACT: [
    [
      label,
      "The customer's order number is {}.",
      "Our order number with the customer: {}, as signed.",
    ],
    [region, "The search index runs in {}.", "The machines of the search index stand in {}."],
    [host, "The staging server is at https://{}.", "Staging lives under https://{} for now."],
    [person, "The contact at the customer is {}.", "{} is the contact at the customer."],
  ],
  "GOAL STATE": [
    [
      branch,
      "Work goes on in branch {} and must stay unpushed.",
      "The current branch is {}; it is not pushed.",
    ],
    [commit, "The last good commit is {}.", "The base of this work is commit {}."],
    [label, "Test case {} still fails.", "The failing test case is {}. It is next."],
    [date, "The demo is on {}.", "The demo of this work takes place on {}."],
  ],
  "USER PREFERENCE": [
    [
      label,
      "I want {} as the reference in every letter.",
      "Always put the reference {} into letters.",
    ],
    [zone, "I prefer appointments in {}.", "Please offer me appointments in {} only."],
    [person, "I prefer to be addressed as {}.", "Call me {} in everything that you write."],
    [
      code,
      "Please use {} as my short name in logs.",
      "My short name in logs should be {}, always.",
    ],
  ],
};

/** Things that change: how they are said first, and how they are said later, in other words. */
const CHANGES: readonly (readonly [
  draw: Draw,
  first: readonly string[],
  later: readonly string[],
])[] = [
  [
    money,
    ["HARD CONSTRAINT: The travel budget is {} in total.", "Travel must not cost more than {}."],
    ["New limit: keep travel costs under {} from now on.", "The travel budget was cut to {}."],
  ],
  [
    date,
    ["FACT: The release is due on {}.", "The release date is {}."],
    ["Update: the release moved to {}.", "We now release on {} instead."],
  ],
  [
    label,
    ["FACT: The project's code name is {}.", "Internally the project is called {}."],
    ["We are calling the project {} now.", "The name of the project has changed to {}."],
  ],
  [
    zone,
    ["HARD CONSTRAINT: Write all timestamps in {}.", "Timestamps must be in {}."],
    ["From now on write timestamps in {}.", "Timestamps should be in {} instead."],
  ],
  [
    person,
    ["FACT: {} is on call this week.", "The person on call this week is {}."],
    ["{} is on call this week now.", "Update: {} takes over the call duty this week."],
  ],
  [
    branch,
    ["GOAL STATE: Development happens on branch {}.", "We work on branch {}."],
    ["We switched development to branch {}.", "The work moved to branch {} now."],
  ],
  [
    code,
    [
      "SAFETY RULE: The vault code is {} and must never be shared.",
      "Never show the vault code {}.",
    ],
    [
      "SAFETY RULE: The vault code was changed. Never share the new code {}.",
      "The vault code is now {}; never show it.",
    ],
  ],
  [
    (random) => ["terse", "playful", "formal", "warm", "plain"][random(5)] ?? "terse",
    ["USER PREFERENCE: I want {} answers.", "Always give me {} answers."],
    ["I would rather get {} answers now.", "From now on make your answers {}."],
  ],
];

/** Pairs that differ in one word and must both stay. */
const PAIRS: readonly (readonly [draw: Draw, one: string, other: string])[] = [
  [region, "FACT: The first database runs in {}.", "FACT: The second database runs in {}."],
  [
    money,
    "HARD CONSTRAINT: The limit for books is {}.",
    "HARD CONSTRAINT: The limit for licenses is {}.",
  ],
  [person, "FACT: {} reviews the design.", "FACT: {} reviews the release."],
];

const FILLER = [
  "Looking through the layout of the import module and its callers.",
  "The retry waits a little longer each time, up to half a minute.",
  "Talking about cache headers for the images on the start page.",
  "There is a smoke test that asks the health page after a deploy.",
  "A helper was renamed so that its name says what it lists.",
  "The load test ran through without an error on the small machine.",
  "The draft of the guide still has an open section about webhooks.",
  "A library was pinned because of the code that scales images.",
];

/** Draws a session: canaries of five types and their updates among exchanges that say nothing of note. */
export function canarySession(suite: "types" | "changes", seed: number): CanarySession {
  const random = seededRandom(seed).below;
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[random(values.length)];
    if (value === undefined) throw new RangeError("Expected at least one value.");
    return value;
  };
  const said = (way: string, value: string): string => way.replace("{}", value);
  const canaryOf = (way: string, value: string): Canary => ({
    text: said(way, value),
    tokens: [value.toLowerCase()],
    stale: [],
  });
  const changeOf = (draw: Draw, first: readonly string[], later: readonly string[]): Canary => {
    const old = draw(random);
    let value = draw(random);
    while (value === old) value = draw(random);
    const before = said(pick(first), old);
    return { ...canaryOf(pick(later), value), before, stale: [old.toLowerCase()] };
  };
  const canaries =
    suite === "types"
      ? Object.entries(STATEMENTS).flatMap(([type, statements]) =>
          statements.map(([draw, ...ways]) => {
            const head = random(4) === 0 ? "" : `${type}: `;
            return canaryOf(`${head}${pick(ways)}`, draw(random));
          }),
        )
      : [
          ...CHANGES.map(([draw, first, later]) => changeOf(draw, first, later)),
          ...PAIRS.flatMap(([draw, one, other]) =>
            [one, other].map((way) => canaryOf(way, draw(random))),
          ),
        ];
  const turns: Turn[] = [];
  const fill = (): void => {
    for (let count = 0; count < 2; count++) {
      turns.push({ user: pick(FILLER), assistant: "Good. I go on with the plan." });
    }
  };
  const plant = (user: string): void => {
    fill();
    turns.push({ user, assistant: "Noted." });
  };
  for (const { before } of canaries) if (before !== undefined) plant(before);
  const order = canaries.map((canary) => ({ canary, place: random(1_000_000) }));
  for (const { canary } of order.toSorted((one, other) => one.place - other.place)) {
    plant(canary.text);
  }
  fill();
  const pairs =
    suite === "types"
      ? []
      : PAIRS.map((_, index): readonly [number, number] => {
          const first = CHANGES.length + 2 * index;
          return [first, first + 1];
        });
  return { turns, canaries, pairs };
}
