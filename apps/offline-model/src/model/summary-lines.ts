/** What a line of a conversation's summary begins with that says what was asked; the places that the answer cited stand below it. */
export const ASKED = "Asked: ";
