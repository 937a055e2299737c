import type { Caller } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import type { Person, PersonalDataService, personalDataOperations, StoredSection } from '@tandem/contract';
import { type LeadData, leadData, leadDataExported } from '@tandem/crm-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { fail, reachOf } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { asLead } from '../leads/lead.ts';
import { crmData } from './crm-data.ts';
import { leadsOfPerson, personOf } from './person.ts';

/** Clients of the other services that hold personal data. */
export type PersonalDataPeers = Record<
  Exclude<PersonalDataService, 'crm'>,
  ServiceClient<typeof personalDataOperations>
>;
type Exported = z.output<typeof LeadData>;

/** Returns the data of all services or, if one of them is unavailable, none. */
export const exportLeadData = (
  peers: PersonalDataPeers,
  ids: IdCodec,
): Handler<typeof leadData.exportLeadData, Exported> => ({
  async check({ params, caller, tx }) {
    if (leadData.exportLeadData.also.some((permission) => reachOf(caller, permission) !== 'all'))
      throw fail('forbidden');
    const row = await tx.lead.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    if (row.mergedIntoId !== null) throw fail('lead_merged');
    const [lead, ...mergedLeads] = await leadsOfPerson(tx, asLead(row));
    if (!lead) throw fail('not_found');
    const person = await personOf(tx, ids, [lead, ...mergedLeads]);
    const exportedAt = new Date();
    const services = (await readServices({ peers, tx }, person, caller)).map(({ service, sections }) => ({
      service,
      sections: sections.map((section) => withPublicIds(ids, caller, section)),
    }));
    return { exportedAt, lead, mergedLeads, services };
  },
  run({ params, emit, found }) {
    emit(leadDataExported, { data: { leadId: params.id }, record: { id: params.id } });
    return found;
  },
});

async function readServices({ peers, tx }: { peers: PersonalDataPeers; tx: Tx }, person: Person, caller: Caller) {
  const tenantId = caller.tenantId as number;
  const own = { service: 'crm', sections: await crmData.read({ tx, person, tenantId }) };
  const as = { tenantId, environment: caller.environment, requestId: caller.requestId };
  const others = await Promise.all(
    Object.entries(peers).map(async ([service, peer]) => {
      const { sections } = await peer.exportPerson({ body: { person }, as });
      return { service, sections };
    }),
  );
  return [own, ...others];
}

function withPublicIds(ids: IdCodec, caller: Caller, { name, total, records, ids: paths }: StoredSection) {
  const rewrite = compileRewriter(paths as Parameters<typeof compileRewriter>[0]);
  for (const record of records) rewrite(record, (type, id) => ids.encode(type, caller.tenantId as number, Number(id)));
  return { name, total, records };
}
