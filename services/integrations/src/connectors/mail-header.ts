/** The fields by which campaign recognizes replies, automatic replies and bounces (RFC 5322, RFC 3834, RFC 3464). */
export const mailFields = [
  'Message-ID',
  'In-Reply-To',
  'References',
  'From',
  'To',
  'Subject',
  'Date',
  'Auto-Submitted',
  'Precedence',
  'Return-Path',
  'Content-Type',
  'X-Failed-Recipients',
  'X-Autoreply',
  'X-Autorespond',
  'X-Autoresponse',
  'X-Auto-Response-Suppress',
] as const;

// All fields together stay below the 64 KiB that campaign accepts.
const valueMax = 3_900;

/**
 * Writes the header of a message from its fields, of which the first with each name counts.
 * @param fields as the connected system returned them, in any order and with any other fields
 */
export function mailHeader(fields: readonly { name: string; value: string }[]): string {
  const values = new Map(fields.toReversed().map(({ name, value }) => [name.toLowerCase(), value]));
  const lines = mailFields.flatMap((name) => {
    const value = values.get(name.toLowerCase());
    return value === undefined ? [] : [`${name}: ${lineOf(name, value)}`];
  });
  return lines.join('\r\n');
}

/** One line: a line break would begin a field, or end the header. */
function lineOf(name: string, value: string): string {
  // The end of References names the messages that were answered last.
  const part = name === 'References' ? value.slice(-valueMax) : value.slice(0, valueMax);
  // PostgreSQL and JSON cannot store NUL and halves of surrogate pairs.
  return part
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
}
