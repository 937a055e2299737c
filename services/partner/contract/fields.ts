import { z } from 'zod';

/** A word out of a list; whoever sends another is told the list. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `Must be one of ${words.join(', ')}` });
}

/** An e-mail address. */
export function email() {
  return z.email({ error: 'Must be a valid e-mail address' }).max(254, 'Must be at most 254 characters');
}

const addressMax = 2_000;

/** An address on the web that a browser may be sent to or load a picture from. */
export function webAddress() {
  const error = 'Must be an address that begins with https://';
  const tooLong = `Must be at most ${addressMax} characters`;
  return (
    z
      .url({ protocol: /^https$/, error })
      .max(addressMax, tooLong)
      // Parsers of addresses forgive what neither a header nor the database takes, and an address without its slashes.
      .refine((given) => /^https:\/\//i.test(given) && !given.includes('\0') && given.isWellFormed(), { error })
      // In a header each letter beyond ASCII takes up to twelve, and headers that are too large break the connection.
      .refine((given) => given.length > addressMax || headerLength(given) <= addressMax, {
        error: `${tooLong}, each letter beyond ASCII counted as it is encoded`,
      })
  );
}

function headerLength(address: string): number {
  return URL.parse(address)?.href.length ?? 0;
}

/** A calendar month in UTC. */
export function month() {
  return z
    .string()
    .regex(/^[1-9]\d{3}-(0[1-9]|1[0-2])$/, { error: 'Must be a month, such as 2026-03' })
    .meta({ examples: ['2026-03'] });
}
