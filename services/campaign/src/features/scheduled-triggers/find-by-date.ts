import { effectiveSettings } from '@tandem/campaign-contract';
import { readLeadsMax } from '@tandem/crm-contract';
import { dayOf, fromWallClock } from '@tandem/time-zones';
import type { Tx } from '../../handler.ts';
import { zoneOf } from '../engine/read-batch.ts';
import type { Find, Search } from './search.ts';

const dayMs = 86_400_000;
// The zones in which a day begins first and last.
const firstZone = 'Pacific/Kiritimati';
const lastZone = 'Etc/GMT+12';

/** Leads whose date, with the offset, has its time of day in their zone now: once, or every year. */
export const findByDate: Find = async ({ crm, settingsOf }, tx, search) => {
  const { data, entrance, part, after, as, seen } = search;
  const { dateField = '', offsetDays = 0, at = '09:00', repeat = 'once' } = data;
  const days = daysOf(search);
  const sources = days.map((day) => shifted(day, -offsetDays));
  const parts =
    repeat === 'once'
      ? [{ field: dateField, operator: 'in' as const, value: sources }]
      : [...new Set(sources.flatMap(anniversaries))].map((monthDay) => ({
          field: dateField,
          operator: 'contains' as const,
          value: `-${monthDay}`,
        }));
  const condition = parts[part];
  if (!condition) return { leads: [], seen, next: null };
  const selected = await crm.selectLeads({ body: { conditions: [condition], after, limit: readLeadsMax }, as });
  const ids = selected.leads.map(({ id }) => id);
  const leads = ids.length ? await crm.readLeads({ body: { ids }, as }) : [];
  const tenant = await settingsOf(as);
  const campaignTimezone = await timezoneOf(tx, entrance.campaignId);
  const settings = effectiveSettings(entrance.settings);
  const key = dateField.slice('customFields.'.length);
  const found = leads.flatMap((lead) => {
    const date = String(lead.customFields[key] ?? '').slice(0, 10);
    const zone = zoneOf({ settings, campaignTimezone }, lead, tenant?.timezone);
    const day = days.find((one) => {
      const source = shifted(one, -offsetDays);
      const isDay =
        repeat === 'once' ? source === date : date <= source && anniversaries(source).includes(date.slice(5));
      return isDay && isWithin(fromWallClock(new Date(`${one}T${at}:00Z`), zone), search);
    });
    return day === undefined ? [] : [{ lead, event: `date-${dateField}-${day}`, payload: { date, day } }];
  });
  const next = selected.next === null ? nextPart(part, parts.length) : { part, after: selected.next };
  return { leads: found, seen: seen + ids.length, next };
};

/** The zone of the campaign of a sequence, which also applies to its messages. */
async function timezoneOf(tx: Tx, campaignId: number | null): Promise<string | null> {
  if (campaignId === null) return null;
  const [campaign] = await tx.sql<{ timezone: string | null }>`SELECT timezone FROM campaign WHERE id = ${campaignId}`;
  return campaign?.timezone ?? null;
}

function nextPart(part: number, count: number) {
  return part + 1 < count ? { part: part + 1, after: null } : null;
}

/** The days that have, in any zone, a time within the search. */
function daysOf({ from, until }: Search): string[] {
  const last = dayOf(until, firstZone);
  const days = [];
  for (let day = dayOf(from, lastZone); day <= last; day = shifted(day, 1)) days.push(day);
  return days;
}

function isWithin(at: Date, { from, until }: Search): boolean {
  return at > from && at <= until;
}

function shifted(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** Month and day of dates that are celebrated on a day. February 29 is celebrated on February 28 in other years. */
function anniversaries(day: string): string[] {
  const monthDay = day.slice(5);
  return monthDay === '02-28' && shifted(day, 1).endsWith('03-01') ? [monthDay, '02-29'] : [monthDay];
}
