import { type campaigns, campaignUpdated } from '@tandem/campaign-contract';
import { type Assignee, checkUser, diff, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkTopic } from '../suppressions/suppression.ts';
import { teamChange } from '../work/owner.ts';
import { asCampaign, type CampaignRecord, checkSender, checkTimes, lockCampaign, windowColumn } from './campaign.ts';
import { completeCampaignJob } from './complete-campaign.job.ts';

type Fields = readonly (keyof CampaignRecord)[];

// Who is being enrolled, when and about what is decided when the campaign is activated.
const fixedWhileActive: Fields = ['type', 'startAt', 'topicId', 'senderId'];
const changeableAlways: Fields = ['name', 'description', 'ownerId', 'teamId'];

export const updateCampaign = (
  tools: Pick<Tools, 'identity'>,
): Handler<typeof campaigns.updateCampaign, Assignee | undefined> => ({
  check: ({ body, caller }) => checkUser(tools, 'ownerId', body.ownerId, caller),
  async run({ params, body, found: owner, tx, emit, schedule, ifMatch }) {
    const campaign = asCampaign(await lockCampaign(tx, params.id));
    ifMatch(campaign);
    const { isEmpty, values, audit } = diff(campaign, { ...body, ...teamChange(campaign, owner) });
    if (isEmpty) return campaign;
    await checkTopic(tx, values.topicId);
    await checkSender(tx, values.senderId);
    const fields = Object.keys(values) as (keyof CampaignRecord)[];
    if (campaign.status === 'active' && fields.some((field) => fixedWhileActive.includes(field)))
      throw fail('campaign_active');
    if (campaign.status === 'completed' && fields.some((field) => !changeableAlways.includes(field)))
      throw fail('campaign_completed');
    if (values.endAt || (values.startAt && campaign.endAt)) checkTimes({ ...campaign, ...values });
    const { sendWindow, ...others } = values;
    const [written] = await tx.campaign.updateManyAndReturn({
      where: { id: campaign.id },
      data: { ...others, ...windowColumn(sendWindow), version: { increment: 1 } },
    });
    if (!written) throw fail('not_found');
    const updated = asCampaign(written);
    const { endAt } = values;
    if (endAt) await schedule(completeCampaignJob, [{ campaignId: campaign.id, endAt }], endAt);
    emit(campaignUpdated, { data: { campaignId: campaign.id, fields }, record: updated, changes: audit });
    return updated;
  },
});
