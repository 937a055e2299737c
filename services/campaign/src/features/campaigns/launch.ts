import type { FieldError } from '@tandem/contract';
import type { Schedule } from '@tandem/jobs';
import { fail, type Reach } from '@tandem/service';
import type { Campaign as CampaignRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { GraphNode } from '../engine/graph.ts';
import { unparkExecutionsJob } from '../engine/unpark-executions.job.ts';
import { scheduleTrigger } from '../scheduled-triggers/schedule-trigger.ts';
import { senderGaps } from '../senders/sender.ts';
import { type Entrance, readSequences } from '../workflows/enterable.ts';
import { asCampaign, type CampaignRecord, changeStatus, checkStatus, type StatusChange } from './campaign.ts';
import { enrollAudienceJob } from './enroll-audience.job.ts';
import { foreignChannels } from './hold-campaign.ts';

const startedByHand = ['manual', 'webhook'];

/**
 * Activates a locked campaign: what fell due during a pause continues, and now or at its start the audience is enrolled and
 * the triggers of its sequences look for leads.
 * @param reach the leads that the caller can read; others of the audience are not enrolled
 * @throws ApiError 422 listing everything that is missing
 */
export async function launch(
  tools: Pick<Tools, 'mailer'>,
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  row: CampaignRow,
  { from, reach }: { from: 'draft' | 'paused'; reach: Reach },
): Promise<StatusChange> {
  checkStatus(row, [from]);
  const sequences = await readSequences(tx, row.id);
  const errors = await gaps(tools, tx, row, sequences);
  if (errors.length) throw fail('validation_failed', errors);
  const change = await changeStatus(tx, row, { from: [from], to: 'active', launch: true });
  await schedule(
    unparkExecutionsJob,
    sequences.map(({ id: workflowId }) => ({ workflowId })),
  );
  for (const { id: workflowId, trigger } of sequences)
    await scheduleTrigger({ tx, schedule }, workflowId, trigger, { isLaunch: from === 'draft' });
  const job = { campaignId: row.id, launch: change.row.launch, after: null, reach };
  await schedule(enrollAudienceJob, [job], row.startAt ?? new Date());
  return change;
}

async function gaps(
  { mailer }: Pick<Tools, 'mailer'>,
  tx: Tx,
  row: CampaignRow,
  sequences: readonly Entrance[],
): Promise<FieldError[]> {
  const { endAt, environment, type: campaignType } = asCampaignRow(row);
  const types = new Set(sequences.flatMap(({ nodes }) => nodes.map(({ type }) => type)));
  const isSending = types.has('email') || types.has('sms');
  const isByHand = sequences.some(({ trigger }) => startedByHand.includes(triggerOf(trigger.data)));
  const part = await tx.audiencePart.findFirst({ where: { campaignId: row.id, isExcluded: false } });
  return [
    ...(isSending
      ? []
      : [{ field: 'sequences', message: 'Publish a sequence of this campaign with a node that sends a message' }]),
    ...(part || (isSending && !isByHand)
      ? []
      : [{ field: 'audience', message: 'Include leads in the audience; no trigger starts the sequences' }]),
    ...sequences.flatMap(({ nodes }) => channelErrors(campaignType, nodes)),
    ...(types.has('email') && !mailer.isEnabled && environment === 'live'
      ? [{ field: 'sequences', message: 'E-mails cannot be sent, because no mail server is configured' }]
      : []),
    ...(types.has('email') ? await senderGaps(tx, row.senderId) : []),
    ...(endAt && endAt <= new Date() ? [{ field: 'endAt', message: 'Must be in the future' }] : []),
  ];
}

/** Message nodes of a channel that a campaign of this type does not have. */
function channelErrors(type: CampaignRecord['type'], nodes: readonly GraphNode[]): FieldError[] {
  return foreignChannels(type, nodes).map((node) => ({
    field: 'sequences',
    message: `The node ${node.nodeId} is of the type ${node.type}, which a campaign of the type ${type} does not send; publish the sequence without it, or change the type of the campaign to mixed`,
  }));
}

const asCampaignRow = (row: CampaignRow) => ({ ...asCampaign(row), environment: row.environment });

function triggerOf({ triggerType }: Record<string, unknown>): string {
  return typeof triggerType === 'string' && triggerType !== '' ? triggerType : 'manual';
}
