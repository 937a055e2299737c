/** Which number comes first in a date such as 03/04/2026; null if that is not known. */
export type DateOrder = 'day' | 'month' | null;

/**
 * The order in which a person writes dates: that of their date format, or else of the tenant's language. A language
 * without a country, such as `en`, is used in several orders.
 */
export function dateOrderOf(dateFormat: string | null | undefined, locale: string): DateOrder {
  if (dateFormat) return dateFormat.startsWith('MM') ? 'month' : 'day';
  const { language, region } = new Intl.Locale(locale);
  if (language === 'en' && !region) return null;
  const parts = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric', year: 'numeric' }).formatToParts(0);
  return parts.findIndex(({ type }) => type === 'day') < parts.findIndex(({ type }) => type === 'month')
    ? 'day'
    : 'month';
}

const isoForm = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/;
const isoTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/;
const numbers = /^(\d{1,2})([./-])(\d{1,2})\2(\d{2}|\d{4})$/;

const remedy = 'write it as 2026-03-31';

/** A day or a time as ISO 8601 text in UTC, or why it is none. A day is its midnight in UTC. */
export function timeOf(text: string, order: DateOrder): { time: string } | { error: string } {
  if (isoTime.test(text)) return zonedTime(text);
  const [, isoYear, isoMonth, isoDay] = isoForm.exec(text) ?? [];
  if (isoYear) return midnight(Number(isoYear), Number(isoMonth), Number(isoDay));
  const [, first, separator, second, year] = numbers.exec(text) ?? [];
  if (!year) return { error: `Must be a date; ${remedy}` };
  if (year.length === 2) return { error: `The year needs four digits; ${remedy}` };
  const [one, other] = [Number(first), Number(second)];
  const found = separator === '.' ? 'day' : (order ?? onlyOrder(one, other));
  if (!found)
    return { error: `Can be read as day/month or month/day; ${remedy}, or choose the date format in your preferences` };
  return found === 'day' ? midnight(Number(year), other, one) : midnight(Number(year), one, other);
}

/** The order in which two numbers can be a day and a month; null if both are possible and differ. */
function onlyOrder(one: number, other: number): DateOrder {
  if (other > 12) return 'month';
  return one > 12 || one === other ? 'day' : null;
}

function midnight(year: number, month: number, day: number): { time: string } | { error: string } {
  const time = new Date(Date.UTC(year, month - 1, day));
  // Date accepts the 31st of February as a day of March.
  const isSame = time.getUTCFullYear() === year && time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
  return isSame && year >= 1000 ? { time: time.toISOString() } : { error: `No such day exists; ${remedy}` };
}

/** A time without a zone is one in UTC. */
function zonedTime(text: string): { time: string } | { error: string } {
  const iso = text.replace(' ', 'T');
  const time = new Date(/(Z|[+-]\d{2}:\d{2})$/.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(time.getTime()) ? { error: `No such time exists; ${remedy}` } : { time: time.toISOString() };
}
