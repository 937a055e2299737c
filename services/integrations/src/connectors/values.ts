// Reads values of responses of connected systems, which may be missing and may have any type and content.
import { createHash } from 'node:crypto';

export type Values = Record<string, unknown>;

/** An object; an empty one if the value is something else. */
export function objectOf(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

/** A list of at most `max` entries; an empty one if the value is something else. */
export function listOf(value: unknown, max: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, max) : [];
}

const levelsMax = 5;
const entriesMax = 500;
const contentMax = 65_536;

/** A copy of a record without what could not be stored: deep values, long lists, long texts and NUL characters. */
export function plainOf(record: unknown): Values {
  return objectOf(plain(record, { levels: levelsMax, texts: contentMax, entries: entriesMax }));
}

/** A copy of a record with shorter texts and fewer entries, if its JSON has more than `max` bytes. */
export function shortened(record: Values, max: number): Values {
  if (Buffer.byteLength(JSON.stringify(record)) <= max) return record;
  for (const [texts, entries] of [
    [1_000, 100],
    [200, 100],
    [50, 50],
  ] as const) {
    const shorter = objectOf(plain(record, { levels: levelsMax, texts, entries }));
    if (Buffer.byteLength(JSON.stringify(shorter)) <= max) return shorter;
  }
  return {};
}

interface Limits {
  levels: number;
  /** The maximum number of characters of a text. */
  texts: number;
  /** The maximum number of entries of a list or an object. */
  entries: number;
}

function plain(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return value.slice(0, limits.texts).replaceAll('\0', '').toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (limits.levels === 0) return null;
  const inner = (one: unknown) => plain(one, { ...limits, levels: limits.levels - 1 });
  if (Array.isArray(value)) return value.slice(0, limits.entries).map(inner);
  const named = Object.entries(value).filter(([name]) => isName(name));
  return Object.fromEntries(named.slice(0, limits.entries).map(([name, one]) => [name, inner(one)]));
}

function isName(name: string): boolean {
  return name !== '__proto__' && name.length <= 200 && !name.includes('\0') && name.isWellFormed();
}

/** A text of at most `max` characters that PostgreSQL can store; '' if there is none. */
export function textOf(value: unknown, max: number): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  // Cut first, because the text can have any length.
  const cut = String(value)
    .slice(0, max * 2)
    .replaceAll('\0', '')
    .trim()
    .slice(0, max);
  return cut.toWellFormed();
}

/** An id of a record in the connected system; null if the value cannot be one. */
export function idOf(value: unknown): string | null {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : null;
}

/** A finite number, also of a text with digits; undefined if there is none. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,20})?$/.test(value.trim()) ? Number(value) : undefined;
}

/** A time in ISO 8601, of a text in this form or of milliseconds since 1970; undefined if there is none. */
export function timeOf(value: unknown): string | undefined {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && /^\d{11,14}$/.test(value));
  const isText = typeof value === 'string' && /^\d{4}-\d\d-\d\d([T ][\d:.]{5,15}(Z|[+-]\d\d:?\d\d)?)?$/.test(value);
  if (!isNumeric && !isText) return undefined;
  // A time without a zone is in UTC, as both systems document.
  const hasZone = isText && (value.length === 10 || /(Z|[+-]\d\d:?\d\d)$/.test(value.slice(10)));
  const time = new Date(isNumeric ? Number(value) : hasZone ? value : `${value.replace(' ', 'T')}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The address of a website; people often enter it without https://. */
export function websiteOf(value: unknown): string | undefined {
  const text = textOf(value, 2_048);
  if (!text) return undefined;
  return /^https?:\/\//i.test(text) ? text : `https://${text}`;
}

/** The domain of a website, without www; undefined for a page below it, such as a profile in a social network. */
export function domainOf(website: string | undefined): string | undefined {
  if (website === undefined || !URL.canParse(website)) return undefined;
  const { hostname, pathname } = new URL(website);
  return pathname === '/' ? hostname.replace(/^www\./, '') || undefined : undefined;
}

/** The entry of a value that a user mapped; undefined if there is none. */
export function entryOf(entries: Record<string, string>, value: unknown): string | undefined {
  const name = textOf(value, 64);
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** The time of the last change, or else a digest of the record, which changes with it. */
export function versionOf(changedAt: unknown, source: Values): string {
  return textOf(changedAt, 64) || createHash('sha256').update(JSON.stringify(source)).digest('hex').slice(0, 32);
}

/** The fields that have a value. */
export function present<Fields extends Values>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return Object.fromEntries(kept) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}
