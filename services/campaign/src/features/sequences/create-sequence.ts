import type { sequences } from '@tandem/campaign-contract';
import { type Assignee, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockCampaign } from '../campaigns/campaign.ts';
import { checkNewWorkflow, insertWorkflow } from '../workflows/create-workflow.ts';

export const createSequence = (
  tools: Pick<Tools, 'identity'>,
): Handler<typeof sequences.createSequence, Assignee | undefined> => ({
  check: ({ body, caller }) => checkNewWorkflow(tools, body, caller),
  async run({ params, body, found: owner, caller, tx, emit }) {
    const campaign = await lockCampaign(tx, params.id);
    if (campaign.status === 'completed') throw fail('campaign_completed');
    return insertWorkflow({ tx, emit, caller }, { ...body, campaignId: campaign.id }, owner);
  },
});
