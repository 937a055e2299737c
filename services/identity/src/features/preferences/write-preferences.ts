import type { Emit } from '@tandem/events';
import { type UserPreferences, userPreferencesUpdated } from '@tandem/identity-contract';
import { diff, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asUserPreferences } from './preference.ts';

type Preferences = z.output<typeof UserPreferences>;
type Changes = { [Key in keyof Omit<Preferences, 'userId' | 'version' | 'updatedAt'>]?: Preferences[Key] };

interface Writing {
  tx: Tx;
  emit: Emit<typeof userPreferencesUpdated>;
  ifMatch(record: { version: number }): void;
}

/** Changes the stored preferences of a user; the row is created with the first change. */
export async function writePreferences(
  { tx, emit, ifMatch }: Writing,
  userId: number,
  changes: Changes,
): Promise<Preferences> {
  // The lock of the user also holds back a second first change.
  await tx.sql`SELECT id FROM "user" WHERE id = ${userId} FOR NO KEY UPDATE`;
  const row = await tx.userPreference.findFirst({ where: { userId } });
  const before = asUserPreferences(userId, row);
  ifMatch(before);
  const { isEmpty, values } = diff(before, changes);
  if (isEmpty) return before;
  const { notifications, quietHours, ...columns } = values;
  const data = {
    ...columns,
    ...(notifications && { categories: toJsonColumn(notifications) }),
    ...(quietHours !== undefined && { quietHours: quietHours ? toJsonColumn(quietHours) : Prisma.DbNull }),
  };
  const [written] = row
    ? await tx.userPreference.updateManyAndReturn({
        where: { userId },
        data: { ...data, version: { increment: 1 }, updatedAt: new Date() },
      })
    : await tx.userPreference.createManyAndReturn({ data: [{ ...data, userId, version: 2 }] });
  emit(userPreferencesUpdated, { data: { userId, fields: Object.keys(values) }, record: { id: userId } });
  return asUserPreferences(userId, written ?? null);
}
