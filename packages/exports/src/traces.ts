// Ids and addresses stored beside each exported row, so that an erasure finds the row whatever columns the file has.

const [shortest, longest] = [5, 320];
const isPhone = /^[\d\s+()./-]{7,32}$/;
// A calendar event has up to 100 attendees, each with an id, an address and a name.
const tracesMax = 400;

/**
 * The ids and addresses in a record, which the erasure of a person looks for, as one text: texts without spaces, and phone
 * numbers. The record must have the ids that clients know, as `rowWriter` leaves it.
 */
export function traceOf(record: unknown): string {
  const found = new Set<string>();
  const visit = (value: unknown) => {
    if (found.size >= tracesMax) return;
    if (typeof value === 'string') {
      if (value.length >= shortest && value.length <= longest && (!/\s/.test(value) || isPhone.test(value)))
        found.add(value);
    } else if (typeof value === 'object' && value !== null && !(value instanceof Date))
      for (const inner of Object.values(value)) visit(inner);
  };
  visit(record);
  return [...found].join(' ');
}
