import type { Checked } from './target.ts';

/**
 * The values of a body that the row itself has, without the defaults: also of an object such as `consent` only the keys
 * that a column of the row has. The caller keeps the other keys of the record.
 * @param pathsOf the place of a field in the body, where it differs from its name: `city` is `address.city`
 */
export function givenValues<Body extends object>(
  { body, given }: Checked<Body>,
  pathsOf: Record<string, readonly string[]> = {},
): Partial<Body> {
  const paths = new Set([...given].flatMap((field) => pathsOf[field] ?? [field]));
  const entries = Object.entries(body).flatMap(([field, value]): [string, unknown][] => {
    if (value === undefined) return [];
    if (paths.has(field)) return [[field, value]];
    if (typeof value !== 'object' || value === null) return [];
    const own = Object.entries(value).filter(([key]) => paths.has(`${field}.${key}`));
    return own.length ? [[field, Object.fromEntries(own)]] : [];
  });
  return Object.fromEntries(entries) as Partial<Body>;
}
