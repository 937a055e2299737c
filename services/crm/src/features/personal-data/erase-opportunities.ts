import type { Person } from '@tandem/contract';
import { opportunityUpdated } from '@tandem/crm-contract';
import { type Erasing, mentionPattern, mentionTest, toJsonColumn } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { readDefinitions } from '../custom-fields/custom-field.ts';
import { asOpportunity, type LockedOpportunity, writeOpportunity } from '../opportunities/opportunity.ts';
import { erasedText } from './texts.ts';

// Each changed opportunity gets an event.
const batchMax = 200;

/** Removes notes and each text that mentions the person; amounts, stages and dates stay. */
export async function eraseOpportunities({ tx, emit, person }: Erasing<Tx>): Promise<number> {
  const isMention = mentionTest(mentionsInDeals(person));
  const where = { leadId: { in: person.leadIds } };
  const rows = await tx.opportunity.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } });
  const definitions = await readDefinitions(tx, 'opportunity');
  let changed = 0;
  for (const { id } of rows) {
    const row = await tx.opportunity.lockFirst({ where: { id } });
    if (!row) continue;
    const before = asOpportunity(row);
    const dropped = Object.keys(before.customFields).filter((key) =>
      isMention(JSON.stringify(before.customFields[key])),
    );
    const change = changeOf(before, { isMention, dropped });
    const fields = Object.keys(change);
    if (!fields.length) continue;
    const slots = definitions.flatMap(({ key, slot }) => (slot && dropped.includes(key) ? [slot] : []));
    await releaseValues(
      tx,
      id,
      definitions.filter(({ key }) => dropped.includes(key)).map((one) => one.id),
    );
    const { customFields, outcome, ...texts } = change;
    const record = await writeOpportunity(tx, id, {
      ...texts,
      ...(customFields && { customFields: toJsonColumn(customFields) }),
      ...(outcome && { outcome: toJsonColumn(outcome) }),
      ...Object.fromEntries(slots.map((slot) => [slot, null])),
    });
    // The audit log names the fields only.
    emit(opportunityUpdated, { data: { opportunityId: id, fields }, record });
    changed++;
    if (changed === batchMax) break;
  }
  return changed;
}

type Change = Partial<Pick<LockedOpportunity, 'name' | 'notes' | 'customFields' | 'outcome'>>;

function changeOf(
  { name, notes, customFields, outcome }: LockedOpportunity,
  { isMention, dropped }: { isMention: (text: string) => boolean; dropped: string[] },
): Change {
  const kept = Object.fromEntries(Object.entries(customFields).filter(([key]) => !dropped.includes(key)));
  return {
    ...(name !== erasedText && isMention(name) && { name: erasedText }),
    ...(notes !== null && { notes: null }),
    ...(dropped.length > 0 && { customFields: kept }),
    ...(outcome?.note && { outcome: { ...outcome, note: null } }),
  };
}

async function releaseValues(tx: Tx, recordId: number, fieldIds: number[]): Promise<void> {
  if (fieldIds.length) await tx.customFieldKey.deleteMany({ where: { recordId, fieldId: { in: fieldIds } } });
}

/** Texts of records that belong to the deals of the person: stage changes, milestones and activities. */
export async function eraseTextsOfDeals({ tx, person }: Erasing<Tx>): Promise<number> {
  const pattern = mentionsInDeals(person);
  const { leadIds } = person;
  const deals = await tx.sql<{ id: number }>`SELECT id FROM opportunity WHERE lead_id = ANY(${leadIds}::bigint[])`;
  const ids = deals.map(({ id }) => id);
  if (!ids.length) return 0;
  const changed = [
    await tx.sql`UPDATE milestone SET title = ${erasedText}, description = NULL, version = version + 1, updated_at = now()
      WHERE opportunity_id = ANY(${ids}::bigint[])
        AND concat_ws(' ', nullif(title, ${erasedText}), description) ~* ${pattern} RETURNING id`,
    await tx.sql`UPDATE stage_entry SET reason = NULL
      WHERE opportunity_id = ANY(${ids}::bigint[]) AND reason ~* ${pattern} RETURNING id`,
    await tx.sql`UPDATE activity SET subject = NULL, body = NULL, details = '{}', version = version + 1, updated_at = now()
      WHERE opportunity_id = ANY(${ids}::bigint[])
        AND concat_ws(' ', subject, body, details::text) ~* ${pattern} RETURNING id`,
  ];
  return changed.reduce((total, rows) => total + rows.length, 0);
}

/** In the deals of the person, the first or the last name alone is a mention too. */
export function mentionsInDeals(person: Person): string {
  const words = person.names.flatMap((name) => name.split(/\s+/)).filter((word) => word.length >= wordMin);
  return mentionPattern(person, words);
}
const wordMin = 3;
