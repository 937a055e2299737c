import { actingUserId } from '@tandem/caller';
import { type FieldError, idInText, unknownId } from '@tandem/contract';
import { Lead, leadDeleted, type leadMerges } from '@tandem/crm-contract';
import { diff, fail, toJsonColumn } from '@tandem/service';
import { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { releaseAllValues } from '../custom-fields/write-values.ts';
import { storeChange } from './change-lead.ts';
import { lockExternalIds } from './external-id.ts';
import { asLead, type LeadRecord, writeLead } from './lead.ts';
import { conflictsOf, mergedValues } from './merged-lead.ts';
import { countActivities, lockRecordsOf, moveRecords } from './moved-records.ts';

type Leads = readonly [LeadRecord, ...LeadRecord[]];

export const mergeLeads: Handler<typeof leadMerges.mergeLeads> = {
  async check({ params, body, tx, under }) {
    const { mergeIds, fieldChoices = {} } = body;
    if (!(await isKnown(tx, params.id))) throw fail('not_found');
    const errors: FieldError[] = [];
    for (const [index, id] of mergeIds.entries()) {
      const field = `mergeIds.${index}`;
      const isDeletable = (await isKnown(tx, id)) && (await under('leads:delete', () => isKnown(tx, id)));
      if (!isDeletable) errors.push({ field, message: unknownId('lead') });
      else if (mergeIds.indexOf(id) < index) errors.push({ field, message: 'Must not occur twice' });
    }
    for (const [name, id] of Object.entries(fieldChoices)) {
      if (id === undefined || id === params.id || mergeIds.includes(id)) continue;
      const message = (await isKnown(tx, id)) ? 'Must be the lead of the path or one of mergeIds' : unknownId('lead');
      errors.push({ field: `fieldChoices.${name}`, message });
    }
    if (errors.length) throw fail('validation_failed', errors);
  },
  async run({ params, body, tx, emit, ifMatch, caller, message }) {
    const { mergeIds, fieldChoices = {}, dryRun = false } = body;
    if (mergeIds.includes(params.id))
      throw fail('merge_with_itself', [{ field: 'mergeIds', message: 'Must not contain the lead of the path' }]);
    const leads = await lockLeads(tx, params.id, mergeIds);
    const [survivor, ...merged] = leads;
    ifMatch(survivor);
    checkConversions(leads);
    const found = await lockRecordsOf(tx, mergeIds);
    const values = diff(survivor, mergedValues(leads, fieldChoices));
    const preview = {
      mergedIds: mergeIds,
      moved: {
        tasks: found.tasks.length,
        opportunities: found.opportunities.length,
        activities: await countActivities(tx, mergeIds),
      },
      conflicts: conflictsOf(leads, fieldChoices),
    };
    if (dryRun) {
      message('Merge previewed');
      return { ...preview, mergeId: null, survivor: { ...survivor, ...values.values } };
    }
    const userId = actingUserId(caller) ?? null;
    const mergeId = await storeMerge(tx, { survivor, mergeIds, after: values.values, userId });
    // The merged leads first: the survivor can get the unique external id of one of them.
    for (const lead of merged.toSorted((one, other) => one.id - other.id)) {
      const deleted = await writeLead(tx, lead.id, { deletedAt: new Date(), mergedIntoId: survivor.id });
      await releaseAllValues(tx, 'lead', lead.id);
      emit(leadDeleted, { data: { leadId: lead.id, mergedIntoId: survivor.id }, record: deleted });
    }
    const why = { cause: 'merged', hasOldCustomFields: true, byUserId: userId ?? undefined } as const;
    const updated = await storeChange({ tx, emit }, survivor, values.values, why);
    await moveRecords({ tx, emit }, found, { mergeId, survivorId: survivor.id, mergedIds: mergeIds });
    await closePairs(tx, [survivor.id, ...mergeIds], userId);
    return { ...preview, mergeId, survivor: updated };
  },
};

async function isKnown(tx: Tx, id: number): Promise<boolean> {
  return (await tx.lead.count({ where: { id } })) > 0;
}

/** Locks the leads in the order of their ids, and returns the survivor first. */
async function lockLeads(tx: Tx, survivorId: number, mergeIds: number[]): Promise<Leads> {
  const ids = [survivorId, ...mergeIds];
  const before = await tx.lead.findMany({ where: { id: { in: ids } }, select: { externalId: true } });
  await lockExternalIds(
    tx,
    before.map(({ externalId }) => externalId),
  );
  const locked = new Map<number, LeadRecord>();
  for (const id of ids.toSorted((one, other) => one - other)) {
    const row = await tx.lead.lockFirst({ where: { id } });
    if (row?.deletedAt && row.mergedIntoId !== null) throw alreadyMerged(id, row.mergedIntoId);
    if (row && !row.deletedAt) locked.set(id, asLead(row));
  }
  const survivor = locked.get(survivorId);
  if (!survivor) throw fail('not_found');
  const errors = mergeIds.flatMap((id, index) =>
    locked.has(id) ? [] : [{ field: `mergeIds.${index}`, message: unknownId('lead') }],
  );
  if (errors.length) throw fail('validation_failed', errors);
  return [survivor, ...mergeIds.map((id) => locked.get(id) as LeadRecord)];
}

function alreadyMerged(id: number, into: number) {
  const message = `The lead ${idInText('lead', id)} was merged into ${idInText('lead', into)}`;
  return fail('already_merged', [{ field: 'mergeIds', message }]);
}

/** Fails if the leads were converted to several opportunities: one of them would lose its lead. */
function checkConversions(leads: Leads): void {
  const converted = leads.filter(({ convertedAt }) => convertedAt !== null);
  if (converted.length < 2) return;
  const names = converted.map(({ id }) => idInText('lead', id)).join(', ');
  throw fail('several_converted', [{ field: 'mergeIds', message: `Converted leads: ${names}` }]);
}

const Values = Lead.partial();

interface StoredMerge {
  survivor: LeadRecord;
  mergeIds: number[];
  after: Partial<LeadRecord>;
  userId: number | null;
}

async function storeMerge(tx: Tx, { survivor, mergeIds, after, userId }: StoredMerge): Promise<number> {
  const fields = Object.keys(after) as (keyof LeadRecord)[];
  const before = Object.fromEntries(fields.map((field) => [field, survivor[field]]));
  const { id } = await tx.leadMerge.create({
    data: {
      survivorId: survivor.id,
      mergedIds: mergeIds,
      before: toJsonColumn(z.encode(Values, before)),
      after: toJsonColumn(z.encode(Values, after)),
      createdBy: userId,
    },
  });
  return id;
}

/** The open pairs among the leads are decided by the merge; dismissed ones stay dismissed, also when it is undone. */
function closePairs(tx: Tx, leadIds: number[], userId: number | null): Promise<object[]> {
  return tx.sql`UPDATE duplicate_pair
    SET status = 'merged', decided_at = now(), decided_by = ${userId}, version = version + 1
    WHERE first_lead_id = ANY(${leadIds}::bigint[]) AND second_lead_id = ANY(${leadIds}::bigint[]) AND status = 'open'`;
}
