/** What a line of a conversation's summary begins with that says what was asked; the places that the answer cited stand below it. */
export const ASKED = "Asked: ";

/** What a report says, and then a synthesis and an answer, where a worker could not continue: that nothing was found would not be true. */
export const WORK_FAILED = "The work could not continue.";
