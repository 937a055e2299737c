import { type NotificationChannel, UserPreferences } from '@tandem/identity-contract';
import { storedObject } from '@tandem/service';
import type { z } from 'zod';
import type { UserPreference as PreferenceRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readTenant } from '../tenants/tenant.ts';
import type { QuietTime } from './quiet-hours.ts';

type Categories = UserPreferencesRecord['notifications'];
type UserPreferencesRecord = z.output<typeof UserPreferences>;

/** The parts of a user's preferences that decide how notifications reach them. */
export interface Preference {
  categories: Categories;
  quietHours: QuietTime | null;
}

const columns = UserPreferences.pick({ dateFormat: true, quietHours: true }).extend({ notifications: storedObject });

/** Converts a row to the API resource; a user without a row has set nothing. */
export function asUserPreferences(userId: number, row: PreferenceRow | null): UserPreferencesRecord {
  const { dateFormat, quietHours, notifications } = columns.parse({
    dateFormat: row?.dateFormat ?? null,
    quietHours: row?.quietHours ?? null,
    notifications: row?.categories ?? {},
  });
  return {
    userId,
    timezone: row?.timezone ?? null,
    locale: row?.locale ?? null,
    dateFormat,
    defaultCurrency: row?.defaultCurrency ?? null,
    notifications: notifications as Categories,
    quietHours,
    signature: row?.signature ?? null,
    version: row?.version ?? 1,
    updatedAt: row?.updatedAt ?? null,
  };
}

/** Reads how notifications reach these users. */
export async function readPreferences(tx: Tx, userIds: readonly number[]): Promise<{ of(userId: number): Preference }> {
  const rows = await tx.userPreference.findMany({ where: { userId: { in: [...userIds] } } });
  if (!rows.length) return { of: () => ({ categories: {}, quietHours: null }) };
  const { timezone } = await readTenant(tx);
  const known = new Map(rows.map((row) => [row.userId, asPreference(row, timezone)]));
  return { of: (userId) => known.get(userId) ?? { categories: {}, quietHours: null } };
}

/** Reads the languages, time zones and date formats of users. Those of the tenant are the default. */
export async function readLocales(
  tx: Tx,
  userIds: readonly number[],
): Promise<{ of(userId: number): { locale: string; timezone: string; dateFormat: string | null } }> {
  const rows = await tx.userPreference.findMany({
    where: { userId: { in: [...userIds] } },
    select: { userId: true, locale: true, timezone: true, dateFormat: true },
  });
  const tenant = await readTenant(tx);
  const known = new Map(rows.map((row) => [row.userId, row]));
  return {
    of: (userId) => ({
      locale: known.get(userId)?.locale ?? tenant.locale,
      timezone: known.get(userId)?.timezone ?? tenant.timezone,
      dateFormat: known.get(userId)?.dateFormat ?? null,
    }),
  };
}

function asPreference(row: PreferenceRow, tenantZone: string): Preference {
  const { notifications: categories, quietHours, timezone } = asUserPreferences(row.userId, row);
  const zone = quietHours?.timezone ?? timezone ?? tenantZone;
  return { categories, quietHours: quietHours && { start: quietHours.start, end: quietHours.end, timezone: zone } };
}

/** Whether a user wants a category on a channel; undefined if they leave it to the sender. */
export function wantsChannel(
  { categories }: Preference,
  category: string,
  channel: z.output<typeof NotificationChannel>,
): boolean | undefined {
  return Object.hasOwn(categories, category) ? categories[category]?.[channel] : undefined;
}
