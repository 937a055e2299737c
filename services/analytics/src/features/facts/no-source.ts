/** The source that counts and models give leads without a source. A file of its own, because threads read it too. */
export const noSource = 'none';
