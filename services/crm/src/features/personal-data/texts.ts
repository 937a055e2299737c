/** Replaces a text that must not be empty. */
export const erasedText = 'Erased';
