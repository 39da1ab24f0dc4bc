/** English words that say nothing of what a text is about. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    "a an and any are as at be been being but by can cannot could did do does doing done each either else",
    "ever every for from had has have having he her here hers him his how i if in into is it its itself",
    "just let may me might more most much must my neither no nor not of off on once one only onto or other our",
    "out over own per please same shall she should so some such than that the their them then there these",
    "they this those through to too under until up upon us very was we were what when where whether which",
    "while who whom whose why will with within without would yes yet you your",
    "about after again all also am because before between both during few further get gets give gives",
    "happen happens mean means tell tells say says way work works s t re ve ll d m",
  ].flatMap((line) => line.split(" ")),
);
