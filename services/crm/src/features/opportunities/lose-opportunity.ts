import type { opportunityStages } from '@tandem/crm-contract';
import type { Handler, Peers } from '../../handler.ts';
import { type MoverRole, moverRole } from '../pipelines/mover-role.ts';
import { changeOpportunity } from './change-opportunity.ts';
import { lockOpenOpportunity } from './opportunity.ts';

export const loseOpportunity = (peers: Peers): Handler<typeof opportunityStages.loseOpportunity, MoverRole> => ({
  check: ({ tx, caller }) => moverRole(peers, tx, caller),
  async run(context) {
    const { params, body, caller, tx, emit, ifMatch, found: roleId } = context;
    const opportunity = await lockOpenOpportunity(tx, params.id, ifMatch);
    return changeOpportunity({ tx, emit, caller }, { opportunity, roleId, move: { ...body, status: 'lost' } });
  },
});
