import { stemmer } from "stemmer";

/** Reduces an English word to its stem: Porter's algorithm, after the forms that no rule makes (`bought`, `children`). */
export function englishStem(word: string): string {
  return stemmer(IRREGULAR_FORMS.get(word) ?? word);
}

/** The base of English words whose forms no ending makes; those whose bases are stop words are left out. */
const FORMS = `
become became, begin began begun, bend bent, bite bit bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring
brought, build built, burn burnt, buy bought, catch caught, choose chose chosen, cling clung, creep crept, deal dealt, dig dug, draw
drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight
fought, find found, flee fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven,
freeze froze frozen, give gave given, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept,
know knew known, lay laid, lead led, lean leant, learn learnt, leave left, lend lent, light lit, lose lost, mean meant, meet met, pay
paid, ride rode ridden, ring rang rung, rise rose risen, run ran, see saw seen, seek sought, sell sold, send sent, sew sewn, shake
shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep
slept, slide slid, speak spoke spoken, speed sped, spell spelt, spend spent, spill spilt, spin spun, spoil spoilt, spring sprang
sprung, stand stood, steal stole stolen, stick stuck, sting stung, strike struck stricken, swear swore sworn, sweep
swept, swell swollen, swim swam swum, swing swung, teach taught, tear tore torn, tell told, think thought, throw threw
thrown, understand understood, wake woke woken, wear wore worn, weave wove woven, weep wept, win won, wind wound, write wrote
written, child children, person people, man men, woman women, foot feet, tooth teeth, goose geese, mouse mice, wife
wives, life lives, knife knives, leaf leaves, shelf shelves, half halves, thief thieves, wolf wolves`;

/** From a form to its base. @internal Exported for its test. */
export const IRREGULAR_FORMS: ReadonlyMap<string, string> = new Map(
  FORMS.split(",").flatMap((group) => {
    const [base = "", ...forms] = group.trim().split(/\s+/);
    return forms.map((form) => [form, base] as const);
  }),
);

/** English words that say nothing by themselves, without apostrophes. */
export const ENGLISH_STOP_WORDS: readonly string[] = `
a about after again against all also always am an and another any are arent as at
be because been before being below between both but by
came can cannot cant come could couldnt
did didnt do does doesnt doing done dont down during
each else ever every
few for from further
get gets getting go goes going gone got
had hadnt has hasnt have havent having he her here hers herself him himself his how
i if in into is isnt it its itself
just let like
made make makes making many may maybe me might more most much must mustnt my myself
never no nor not now
of off oh on once only or other ought our ours ourselves out over own
said same say says shall shant she should shouldnt since so some still such
take takes taking than that the their theirs them themselves then there these they this those through to too took
under until up us
very
was wasnt way we well went were werent what when where which while who whom whose why will with wont would wouldnt
yes yet you your yours yourself yourselves`
  .trim()
  .split(/\s+/);
