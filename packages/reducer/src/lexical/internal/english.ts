import { stemmer } from "stemmer";

/** Reduces an English word to its stem: Porter's algorithm, applied to the base form of irregular words (`bought`, `children`). */
export function englishStem(word: string): string {
  return stemmer(IRREGULAR_FORMS.get(word) ?? word);
}

/** Base forms, each followed by its irregular forms. Words whose base is a stop word are omitted. */
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

/** Maps an irregular form to its base. @internal Exported for its test. */
export const IRREGULAR_FORMS: ReadonlyMap<string, string> = new Map(
  FORMS.split(",").flatMap((group) => {
    const [base = "", ...forms] = group.trim().split(/\s+/);
    return forms.map((form) => [form, base] as const);
  }),
);

/** English stop words, without apostrophes. */
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

/** Groups of words about one topic; the first is its name. A word may be in several groups. */
const TOPICS = `
food eat meal dish recipe cook cuisine kitchen restaurant cafe breakfast lunch dinner dessert snack bread cake cookie pie pasta
pizza salad soup sandwich cheese meat chicken beef fish rice vegetable fruit apple banana chocolate ice cream sweet sugar spicy bake
grill roast tasty delicious flavor ingredient menu chef diet taste yummy candy sauce egg burger taco sushi curry stew, drink
beverage coffee tea beer wine juice soda water cocktail smoothie bar pub, animal pet dog cat puppy kitten bird fish horse rabbit
hamster turtle snake lizard parrot cow pig sheep goat chicken duck insect bear wolf vet breed leash paw fur, family parent mother
father mom dad brother sister sibling son daughter child kid baby grandmother grandfather grandma grandpa grandparent aunt uncle
cousin niece nephew wife husband spouse twin relative, partner girlfriend boyfriend wife husband spouse fiance date dating marry
marriage wedding engaged engagement relationship romantic love divorce breakup single anniversary couple, friend buddy pal mate
friendship companion acquaintance neighbor roommate, sport game play team athlete basketball football soccer baseball tennis golf
hockey volleyball swim run marathon race cycling bike climb ski surf skate box gym workout exercise training coach tournament match
championship league score fitness yoga, art artist paint painting draw drawing sketch sculpture pottery ceramic canvas gallery
exhibit exhibition museum mural photograph photography design craft illustration portrait, music song sing singer band concert
guitar piano violin drum flute saxophone clarinet cello album record playlist melody instrument orchestra jazz rock classical pop
festival composer tune lyric choir, book read novel author writer story literature library series chapter poem poetry poet fiction
fantasy biography publish bookstore bookshelf comic, film movie cinema watch show series television tv episode actor actress
director documentary screen season netflix theater drama comedy trailer scene, game play gamer video console tournament esports
chess board card puzzle controller level streamer nintendo xbox playstation, job work career profession occupation employ employer
employee boss colleague coworker office company business hire interview salary promotion resign retire freelance internship position
manager client shift, business company startup store shop brand customer client market sales product investor entrepreneur owner
launch, money pay price cost budget salary income saving debt loan bank dollar expense rent mortgage tax invest fund afford bill fee
cheap expensive financial finance, education school college university class course study student teacher professor degree major
exam test lecture homework graduate graduation diploma scholarship learn lesson tutor training certificate workshop field, travel
trip visit vacation holiday journey flight fly airport hotel tour tourist abroad country city cruise passport road beach destination
explore itinerary backpack train, place location city town country state village region area island street address neighborhood live
move home, country nation abroad overseas england britain uk london france paris germany berlin italy rome spain barcelona japan
tokyo china india canada mexico brazil australia ireland scotland sweden norway greece turkey thailand vietnam america usa europe
asia africa, home house apartment flat room bedroom kitchen garden yard furniture move neighbor rent renovate decorate roof
backyard, nature outdoors outdoor park forest tree mountain hill lake river beach ocean sea island desert waterfall sunset sunrise
hike camp trail wildlife flower garden plant scenery landscape sky star, plant garden flower tree rose seed grow gardening vegetable
leaf, weather rain snow sun sunny storm wind cloud cold hot temperature winter summer flood hurricane, health healthy doctor
hospital nurse medicine medical illness sick disease pain injury injure hurt ankle knee wrist leg arm back head accident surgery
diagnosis therapy treatment symptom check clinic weight diet asthma allergy cancer heart recover recovery, mind mental therapy
therapist counselor counseling stress anxiety anxious depression depressed mindfulness meditation meditate calm relax overwhelm
burnout, feeling feel emotion happy sad angry proud excited nervous anxious scared afraid thankful grateful glad upset lonely hope
love hate joy fear worried relieved disappointed frustrated thrilled amazed inspired, support help encourage encouragement volunteer
assist charity cause donate fundraiser community care shelter, politics political government election vote campaign law policy
liberal conservative democrat republican mayor president rights protest activist military army country service patriotic, religion
religious church god faith pray prayer bible christian jewish muslim spiritual temple belief priest, identity gender transgender
lgbtq lgbt gay lesbian queer pride bisexual trans, event party celebration celebrate festival parade concert conference ceremony
wedding birthday anniversary reunion meeting gathering fair gala show, gift present birthday surprise card christmas souvenir,
holiday christmas thanksgiving easter halloween hanukkah birthday eve festival vacation, vehicle car truck motorcycle motorbike bike
bicycle bus train boat plane drive driver ride engine repair garage tire, technology tech computer laptop phone software hardware
app program programming code coding website internet online device gadget robot ai data developer, clothes clothing wear dress shirt
shoe jacket hat fashion outfit sneaker necklace ring bracelet jewelry boutique style, personality trait character kind caring
thoughtful generous brave honest patient creative ambitious driven determined shy funny passionate selfless loyal, goal aim plan
dream ambition aspire aspiration achieve hope want future pursue target resolution, problem issue trouble challenge difficulty
difficult struggle setback obstacle hard fail failure, success achievement accomplish accomplishment win award prize trophy medal
promotion proud milestone, science scientist research experiment physics chemistry biology space planet star astronomy lab,
communication call phone text message email letter talk chat meet, law legal lawyer attorney court judge case contract agreement
patent trademark license sue lawsuit rights claim will estate, writing write writer draft essay article blog journal story novel
script screenplay poem edit editor grammar publish paragraph, software code coding program programming developer app application api
database server bug error test deploy framework function library frontend backend feature repository, schedule plan calendar
appointment deadline date time meeting week month hour agenda milestone routine, project task milestone deadline goal deliverable
phase team sprint progress launch, shopping shop store mall buy purchase order price discount sale brand market boutique, language
speak english spanish french german italian chinese japanese learn translate fluent, environment climate pollution recycle recycling
sustainable sustainability green energy solar conservation wildlife`;

/** Topics of everyday and working life in English. */
export const ENGLISH_TOPICS: readonly (readonly string[])[] = TOPICS.split(",").map((topic) =>
  topic.trim().split(/\s+/),
);
