import { type Person, personalDataServices } from '@tandem/contract';
import { type leadData, leadDeleted, leadErasureRequested } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import { fail, toJsonColumn } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { releaseAllValues } from '../custom-fields/write-values.ts';
import { asLead, type LeadRecord } from '../leads/lead.ts';
import { erasureJobs, requestErasureJob } from './erasure.ts';
import { leadsOfPerson, personOf } from './person.ts';

export const eraseLead =
  (ids: IdCodec): Handler<typeof leadData.eraseLead> =>
  async ({ params, caller, tx, emit, schedule }) => {
    const row = await tx.lead.lockFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    if (row.mergedIntoId !== null) throw fail('lead_merged');
    const leads = await leadsOfPerson(tx, asLead(row));
    const person = await personOf(tx, ids, leads);
    const job = await erasureJobs.start(tx.sql, {
      kind: 'lead_erasure',
      permission: 'leads:manage',
      caller,
      input: {},
      total: personalDataServices.length,
    });
    const erasure = await storeErasure(tx, { leadId: row.id, jobId: job.jobId, person });
    await schedule(requestErasureJob, [{ erasureId: erasure.id }]);
    // Leads whose merge with one of these was undone keep the record of the merge, without its values.
    const leadIds = leads.map(({ id }) => id);
    await tx.leadMerge.updateMany({ where: { mergedIds: { hasSome: leadIds } }, data: { before: {}, after: {} } });
    for (const lead of leads) {
      await releaseAllValues(tx, 'lead', lead.id);
      // What belongs to a lead by a foreign key goes with it: activities, scores, duplicate pairs, merges.
      await tx.lead.deleteMany({ where: { id: lead.id } });
      emit(leadDeleted, { data: { leadId: lead.id, erased: true }, record: withoutValues(lead) });
    }
    emit(leadErasureRequested, { data: { leadId: row.id }, record: { id: row.id } });
    return job;
  };

function storeErasure(tx: Tx, { person, ...erasure }: { leadId: number; jobId: number; person: Person }) {
  return tx.erasure.create({ data: { ...erasure, person: toJsonColumn(person) } });
}

/** The lead as its deletion announces it: later than every version, without values of the person. */
function withoutValues(lead: LeadRecord): LeadRecord {
  return {
    ...lead,
    email: `lead-${lead.id}@erased.invalid`,
    firstName: 'Erased',
    lastName: 'Erased',
    phone: null,
    customFields: {},
    tags: [],
    externalId: null,
    referralCode: null,
    consent: {},
    version: lead.version + 1,
  };
}
