import { unknownId } from '@tandem/contract';
import type { opportunities } from '@tandem/crm-contract';
import { type Assignee, fail, failField } from '@tandem/service';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { holdLead } from '../leads/lead.ts';
import { type MoverRole, moverRole } from '../pipelines/mover-role.ts';
import { changeOpportunity, splitChange } from './change-opportunity.ts';
import { checkReferences } from './check-references.ts';
import { readOfLead } from './new-opportunity.ts';
import { lockOpportunity, type OpportunityRecord } from './opportunity.ts';

export const updateOpportunity = (
  peers: Peers,
): Handler<typeof opportunities.updateOpportunity, { owner: Assignee | undefined; roleId: MoverRole }> => ({
  async check({ body, caller, tx, under }) {
    const { leadId } = body;
    if (leadId && !(await under('leads:read', () => tx.lead.count({ where: { id: leadId, deletedAt: null } }))))
      throw failField('leadId', unknownId('lead'));
    await checkAccount({ under, tx }, body.accountId);
    return { owner: await checkReferences(peers, body, caller), roleId: await moverRole(peers, tx, caller) };
  },
  async run({ params, body, caller, tx, emit, ifMatch, found }) {
    // The lead is locked first, as in a conversion, so that two transactions cannot wait for each other.
    await holdLead(tx, body.leadId);
    const opportunity = await lockOpportunity(tx, params.id);
    ifMatch(opportunity);
    const { fields, move } = splitChange(body);
    const isOfOtherLead = body.leadId !== undefined && body.leadId !== opportunity.leadId;
    if (isOfOtherLead) await checkNotConverted(tx, opportunity);
    if (isOfOtherLead && opportunity.partnerId === null && fields.partnerId === undefined)
      fields.partnerId = (await readOfLead(tx, body.leadId)).partnerId;
    return changeOpportunity({ tx, emit, caller }, { opportunity, fields, move, ...found });
  },
});

/** Fails if the lead of a locked deal was converted to it. Read by SQL, because the caller may not be able to read the lead. */
async function checkNotConverted(tx: Tx, { id, leadId }: OpportunityRecord): Promise<void> {
  if (leadId === null) return;
  const [converted] = await tx.sql`SELECT 1 FROM lead WHERE id = ${leadId} AND converted_opportunity_id = ${id}`;
  if (!converted) return;
  const message = 'The lead was converted to this opportunity; undo that with POST /v1/opportunities/:id/unconvert';
  throw fail('opportunity_has_lead', [{ field: 'leadId', message }]);
}
