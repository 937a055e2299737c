import type { opportunities } from '@tandem/crm-contract';
import type { Assignee } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { type MoverRole, moverRole } from '../pipelines/mover-role.ts';
import { changeOpportunity, splitChange } from './change-opportunity.ts';
import { checkReferences } from './check-references.ts';
import { lockOpportunity } from './opportunity.ts';

export const updateOpportunity = (
  peers: Peers,
): Handler<typeof opportunities.updateOpportunity, { owner: Assignee | undefined; roleId: MoverRole }> => ({
  async check({ body, caller, tx, under }) {
    await checkAccount({ under, tx }, body.accountId);
    return { owner: await checkReferences(peers, body, caller), roleId: await moverRole(peers, tx, caller) };
  },
  async run({ params, body, caller, tx, emit, ifMatch, found }) {
    const opportunity = await lockOpportunity(tx, params.id);
    ifMatch(opportunity);
    return changeOpportunity({ tx, emit, caller }, { opportunity, ...splitChange(body), ...found });
  },
});
