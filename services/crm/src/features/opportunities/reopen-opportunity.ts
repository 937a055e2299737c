import { type opportunityStages, opportunityStates } from '@tandem/crm-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { type MoverRole, moverRole } from '../pipelines/mover-role.ts';
import { changeOpportunity } from './change-opportunity.ts';
import { lockOpportunity } from './opportunity.ts';

export const reopenOpportunity = (peers: Peers): Handler<typeof opportunityStages.reopenOpportunity, MoverRole> => ({
  check: ({ tx, caller }) => moverRole(peers, tx, caller),
  async run(context) {
    const { params, body, caller, tx, emit, ifMatch, found: roleId } = context;
    const opportunity = await lockOpportunity(tx, params.id);
    ifMatch(opportunity);
    const { status } = opportunity;
    if (status === 'open') throw fail('opportunity_open', [transitionError(status, opportunityStates.next(status))]);
    return changeOpportunity({ tx, emit, caller }, { opportunity, roleId, move: { ...body, status: 'open' } });
  },
});
