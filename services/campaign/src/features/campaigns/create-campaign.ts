import { campaignActivated, campaignCreated, type campaigns } from '@tandem/campaign-contract';
import { type Assignee, checkUser } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkTopic } from '../suppressions/suppression.ts';
import { ownerColumns } from '../work/owner.ts';
import { asCampaign, checkSender, checkTimes, windowColumn } from './campaign.ts';
import { completeCampaignJob } from './complete-campaign.job.ts';

export const createCampaign = (
  tools: Pick<Tools, 'identity'>,
): Handler<typeof campaigns.createCampaign, Assignee | undefined> => ({
  async check({ body, caller }) {
    checkTimes(body);
    return checkUser(tools, 'ownerId', body.ownerId, caller);
  },
  async run({ body, found: owner, caller, tx, emit, schedule }) {
    await checkTopic(tx, body.topicId);
    await checkSender(tx, body.senderId);
    const { sendWindow, ...fields } = body;
    const data = { ...fields, ...windowColumn(sendWindow), ...ownerColumns(caller, body.ownerId, owner) };
    const campaign = asCampaign(await tx.campaign.create({ data }));
    const { id, name, type, status, endAt } = campaign;
    if (endAt) await schedule(completeCampaignJob, [{ campaignId: id, endAt }], endAt);
    emit(campaignCreated, { data: { campaignId: id, name, type, status }, record: campaign });
    // It has neither audience nor sequences yet: these start when they are added.
    if (status === 'active') emit(campaignActivated, { data: { campaignId: id }, record: campaign });
    return campaign;
  },
});
