import { z } from 'zod';

const urlLengthMax = 2_000;

/** An https URL that browsers are redirected to or load an image from. */
export function httpsUrl() {
  const error = 'Must be a URL that starts with https://';
  const tooLong = `Must be at most ${urlLengthMax} characters`;
  return (
    z
      .url({ protocol: /^https$/, error })
      .max(urlLengthMax, tooLong)
      // URL parsers accept `https:` without slashes, and characters that headers and PostgreSQL do not accept.
      .refine((url) => /^https:\/\//i.test(url) && !url.includes('\0') && url.isWellFormed(), { error })
      // Percent-encoding turns one character into up to twelve, and a header that is too large breaks the connection.
      .refine((url) => url.length > urlLengthMax || encodedLength(url) <= urlLengthMax, {
        error: `${tooLong} after percent-encoding`,
      })
  );
}

function encodedLength(url: string): number {
  return URL.parse(url)?.href.length ?? 0;
}

/** A calendar month. */
export function month() {
  return z
    .string()
    .regex(/^[1-9]\d{3}-(0[1-9]|1[0-2])$/, { error: 'Must be a month, such as 2026-03' })
    .meta({ examples: ['2026-03'] });
}
