import { opportunityUpdated } from '@tandem/crm-contract';
import { type Erasing, mentionsOf, toJsonColumn } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { readDefinitions } from '../custom-fields/custom-field.ts';
import { asOpportunity, type LockedOpportunity, writeOpportunity } from '../opportunities/opportunity.ts';
import { erasedText } from './texts.ts';

// A lead has few opportunities; each changed one gets an event.
const batchMax = 200;

/** Removes notes and each text that mentions the person; amounts, stages and dates stay. */
export async function eraseOpportunities({ tx, emit, person }: Erasing<Tx>): Promise<number> {
  const isMention = mentionTest(mentionsInDeals(person));
  const rows = await tx.opportunity.findMany({ where: { leadId: { in: person.leadIds } }, take: batchMax });
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
    ...(isMention(name) && { name: erasedText }),
    ...(notes !== null && { notes: null }),
    ...(dropped.length > 0 && { customFields: kept }),
    ...(outcome?.note && { outcome: { ...outcome, note: null } }),
  };
}

async function releaseValues(tx: Tx, recordId: number, fieldIds: number[]): Promise<void> {
  if (fieldIds.length) await tx.customFieldKey.deleteMany({ where: { recordId, fieldId: { in: fieldIds } } });
}

/** Texts of records that belong to the deals of the person: stage changes, milestones, tasks and activities. */
export async function eraseTextsOfDeals({ tx, person }: Erasing<Tx>): Promise<number> {
  const patterns = mentionsInDeals(person);
  const { leadIds } = person;
  const deals = await tx.sql<{ id: number }>`SELECT id FROM opportunity WHERE lead_id = ANY(${leadIds}::bigint[])`;
  const ids = deals.map(({ id }) => id);
  if (!ids.length) return 0;
  const changed = [
    await tx.sql`UPDATE milestone SET title = ${erasedText}, description = NULL, version = version + 1
      WHERE opportunity_id = ANY(${ids}::bigint[]) AND concat_ws(' ', title, description) ILIKE ANY(${patterns}::text[])
      RETURNING id`,
    await tx.sql`UPDATE stage_entry SET reason = NULL
      WHERE opportunity_id = ANY(${ids}::bigint[]) AND reason ILIKE ANY(${patterns}::text[]) RETURNING id`,
    await tx.sql`UPDATE task SET title = ${erasedText}, description = NULL, outcome_note = NULL, version = version + 1
      WHERE opportunity_id = ANY(${ids}::bigint[])
        AND concat_ws(' ', title, description, outcome_note) ILIKE ANY(${patterns}::text[]) RETURNING id`,
    await tx.sql`UPDATE activity SET subject = NULL, body = NULL, details = '{}', version = version + 1
      WHERE opportunity_id = ANY(${ids}::bigint[])
        AND concat_ws(' ', subject, body, details::text) ILIKE ANY(${patterns}::text[]) RETURNING id`,
  ];
  return changed.reduce((total, rows) => total + rows.length, 0);
}

/** In the deals of the person, the first or the last name alone is a mention too. */
function mentionsInDeals(person: Erasing<Tx>['person']): string[] {
  const words = person.names.flatMap((name) => name.split(/\s+/)).filter((word) => word.length >= wordMin);
  return mentionsOf({ ...person, names: [...person.names, ...words] });
}
const wordMin = 3;

function mentionTest(patterns: readonly string[]): (text: string) => boolean {
  const texts = patterns.map((pattern) => pattern.slice(1, -1).replace(/\\(.)/g, '$1').toLowerCase());
  return (text) => texts.some((mention) => text.toLowerCase().includes(mention));
}
