import { campaignCreated, type campaigns } from '@tandem/campaign-contract';
import { type Assignee, checkUser } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { ownerColumns } from '../work/owner.ts';
import { asCampaign, checkSender } from './campaign.ts';

export const createCampaign = (
  tools: Pick<Tools, 'identity'>,
): Handler<typeof campaigns.createCampaign, Assignee | undefined> => ({
  check: ({ body, caller }) => checkUser(tools, 'ownerId', body.ownerId, caller),
  async run({ body, found: owner, caller, tx, emit }) {
    await checkSender(tx, body.senderId);
    const data = { ...body, ...ownerColumns(caller, body.ownerId, owner) };
    const campaign = asCampaign(await tx.campaign.create({ data }));
    const { id, name, type, status } = campaign;
    emit(campaignCreated, { data: { campaignId: id, name, type, status }, record: campaign });
    return campaign;
  },
});
