import type { opportunityStages } from '@tandem/crm-contract';
import { failField } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { type MoverRole, moverRole } from '../pipelines/mover-role.ts';
import { changeOpportunity } from './change-opportunity.ts';
import { lockOpportunity } from './opportunity.ts';

export const moveOpportunity = (peers: Peers): Handler<typeof opportunityStages.moveOpportunity, MoverRole> => ({
  check: ({ tx, caller }) => moverRole(peers, tx, caller),
  async run(context) {
    const { params, body, caller, tx, emit, ifMatch, found: roleId } = context;
    const opportunity = await lockOpportunity(tx, params.id);
    ifMatch(opportunity);
    if (body.stageId === undefined && body.stage === undefined && body.pipelineId === undefined)
      throw failField('stageId', 'Is required, unless stage has the code of the stage');
    return changeOpportunity({ tx, emit, caller }, { opportunity, roleId, move: body });
  },
});
