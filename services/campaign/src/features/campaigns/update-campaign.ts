import type { Caller } from '@tandem/caller';
import {
  campaignActivated,
  campaignCompleted,
  campaignPaused,
  campaignResumed,
  type campaigns,
  campaignUpdated,
} from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import { type Assignee, checkUser, diff, fail, reachOf, requireFeature } from '@tandem/service';
import type { Campaign as CampaignRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { unparkExecutionsJob } from '../engine/unpark-executions.job.ts';
import { checkTopic } from '../suppressions/suppression.ts';
import { teamChange } from '../work/owner.ts';
import { readSequences } from '../workflows/enterable.ts';
import {
  asCampaign,
  type CampaignRecord,
  changeStatus,
  checkSender,
  checkTimes,
  checkTransition,
  lockCampaign,
  windowColumn,
} from './campaign.ts';
import { complete, completeCampaignJob } from './complete-campaign.job.ts';
import { launch } from './launch.ts';

type Fields = readonly (keyof CampaignRecord)[];

// Who is being enrolled, when and about what is decided when the campaign is activated.
const fixedWhileActive: Fields = ['type', 'startAt', 'topicId', 'senderId'];
const changeableAlways: Fields = ['name', 'description', 'ownerId', 'teamId'];

export const updateCampaign = (
  tools: Pick<Tools, 'identity' | 'mailer'>,
): Handler<typeof campaigns.updateCampaign, Assignee | undefined> => ({
  check: ({ body, caller }) => checkUser(tools, 'ownerId', body.ownerId, caller),
  async run({ params, body, found: owner, caller, tx, emit, schedule, ifMatch }) {
    const row = await lockCampaign(tx, params.id);
    const campaign = asCampaign(row);
    ifMatch(campaign);
    const { status = campaign.status, ...fields } = body;
    if (status !== campaign.status) checkTransition(campaign, status);
    const { isEmpty, values, audit } = diff(campaign, { ...fields, ...teamChange(campaign, owner) });
    const inside = { tx, emit, schedule };
    const updated = isEmpty ? row : await write(inside, row, { values, audit });
    return status === campaign.status ? asCampaign(updated) : moveTo(tools, inside, updated, { status, caller });
  },
});

interface Inside {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
}

type Values = Partial<Omit<CampaignRecord, 'status'>>;

async function write(
  { tx, emit, schedule }: Inside,
  row: CampaignRow,
  { values, audit }: { values: Values; audit: Record<string, { from: unknown; to: unknown }> },
): Promise<CampaignRow> {
  const campaign = asCampaign(row);
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
  if (values.sendWindow !== undefined || values.timezone !== undefined) await checkHeld({ tx, schedule }, campaign);
  const { endAt } = values;
  if (endAt) await schedule(completeCampaignJob, [{ campaignId: campaign.id, endAt }], endAt);
  emit(campaignUpdated, {
    data: { campaignId: campaign.id, fields },
    record: asCampaign(written),
    changes: audit,
  });
  return written;
}

/** Lets executions that wait for the send window of a running campaign look at the new one. */
async function checkHeld({ tx, schedule }: Pick<Inside, 'tx' | 'schedule'>, { id, status }: CampaignRecord) {
  if (status !== 'active') return;
  const sequences = await readSequences(tx, id);
  await schedule(
    unparkExecutionsJob,
    sequences.map(({ id: workflowId }) => ({ workflowId })),
  );
}

/** Changes the status by the rules of the operations for it, including their permissions and feature. */
async function moveTo(
  tools: Pick<Tools, 'mailer'>,
  { tx, emit, schedule }: Inside,
  row: CampaignRow,
  { status, caller }: { status: CampaignRecord['status']; caller: Caller },
): Promise<CampaignRecord> {
  if (status === 'completed') {
    const { campaign, event } = await complete({ tx, schedule }, row);
    emit(campaignCompleted, event);
    return campaign;
  }
  if (status === 'paused') {
    const { campaign, event } = await changeStatus(tx, row, { from: ['active'], to: 'paused' });
    emit(campaignPaused, event);
    return campaign;
  }
  requireFeature(caller, 'workflows');
  const reach = reachOf(caller, 'leads:read');
  if (reach === 'none')
    throw fail('forbidden', [{ field: 'status', message: 'Requires the permission leads:read for the value active' }]);
  const from = row.status === 'paused' ? 'paused' : 'draft';
  const { campaign, event } = await launch(tools, { tx, schedule }, row, { from, reach });
  emit(from === 'paused' ? campaignResumed : campaignActivated, event);
  return campaign;
}
