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
