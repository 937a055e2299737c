import { z } from 'zod';

/** A word out of a list; whoever sends another is told the list. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `Must be one of ${words.join(', ')}` });
}
