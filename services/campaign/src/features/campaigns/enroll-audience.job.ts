import type { Caller } from '@tandem/caller';
import { ServiceCallError } from '@tandem/client/internal';
import { id, selectedLeadsMax } from '@tandem/contract';
import { type Inside, type JobContext, job, type Schedule } from '@tandem/jobs';
import { fail, type Reach } from '@tandem/service';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { audiencePage } from '../audiences/audience-page.ts';
import { enroll } from '../engine/enroll.ts';
import { readSequences } from '../workflows/enterable.ts';
import type { HeldCampaign } from './hold-campaign.ts';

const OwnRecords = z.object({ userId: z.int(), teamIds: z.array(z.int()).readonly().optional() });

/** The job that enrolls the audience of a campaign, page by page. One of an earlier launch has no effect. */
export const enrollAudienceJob = {
  name: 'enroll-audience',
  payload: z.object({
    campaignId: id('campaign'),
    launch: z.int(),
    after: z.int().nullable(),
    // The leads that the person who activated the campaign can read.
    reach: z.union([z.enum(['all', 'none']), OwnRecords]),
  }),
};

type Payload = z.output<typeof enrollAudienceJob.payload>;

// While crm is unavailable, the job waits this long before it asks again.
const unavailableMs = 15_000;

/**
 * Enrolls a page of the audience into every published sequence of the campaign. A lead is enrolled once per sequence,
 * however often the campaign is paused and resumed, because the key of its enrollment is that of the campaign and lead.
 */
export const enrollAudience = (tools: Pick<Tools, 'crm'>) =>
  job({
    ...enrollAudienceJob,
    rests: true,
    async run({ payload, tx, outside, finish }: JobContext<Payload, Tx>) {
      const { campaignId, after } = payload;
      const row = await tx.campaign.findFirst({ where: { id: campaignId } });
      if (!row || !isCurrent(row, payload)) return;
      const caller = {
        type: 'system',
        permissions: [],
        tenantId: row.tenantId,
        environment: row.environment,
        requestId: `campaign-${campaignId}`,
      } as const as Caller;
      let page: Awaited<ReturnType<typeof audiencePage>>;
      try {
        page = await outside(() =>
          audiencePage(tools, tx, row, { after, limit: selectedLeadsMax }, caller, reachIn(payload)),
        );
      } catch (error) {
        if (!(error instanceof ServiceCallError) || error.status < 500) throw error;
        return finish(async () => new Date(Date.now() + unavailableMs));
      }
      await finish((inside) => enrollPage(inside, payload, page));
    },
  });

/**
 * Enrolls the audience of a campaign that runs into a sequence that was published or resumed after it started. Leads that are
 * in sequences of it already are not enrolled there again.
 * @param reach the leads that the caller can read; others of the audience are not enrolled
 * @throws ApiError 403 when the campaign runs and the caller can read no leads
 */
export async function enrollInNewSequence(
  schedule: Schedule,
  { id: campaignId, launch, isRunning }: HeldCampaign,
  reach: Reach,
): Promise<void> {
  if (!isRunning) return;
  if (reach === 'none')
    throw fail('forbidden', [
      { field: 'id', message: 'Is a sequence of a campaign that runs, so it requires the permission leads:read' },
    ]);
  await schedule(enrollAudienceJob, [{ campaignId, launch, after: null, reach }]);
}

async function enrollPage(
  { tx, schedule }: Inside<Tx>,
  payload: Payload,
  { leadIds, next }: { leadIds: readonly number[]; next: number | null },
): Promise<void> {
  const { campaignId } = payload;
  // Held, so that a pause waits for this page, and the next page finds the pause.
  const [current] = await tx.sql<{ status: string; launch: number }>`
    SELECT status, launch FROM campaign WHERE id = ${campaignId} FOR SHARE`;
  if (!current || !isCurrent(current, payload)) return;
  const entries = leadIds.map((leadId) => ({ leadId, eventId: `campaign-${campaignId}-${leadId}` }));
  for (const sequence of await readSequences(tx, campaignId))
    await enroll({ tx, schedule }, sequence, entries, { source: 'campaign' });
  if (next !== null) await schedule(enrollAudienceJob, [{ ...payload, after: next }]);
}

function reachIn({ reach }: Payload): Reach {
  if (typeof reach === 'string') return reach;
  const { userId, teamIds } = reach;
  return { userId, ...(teamIds && { teamIds }) };
}

function isCurrent(row: { status: string; launch: number }, { launch }: Payload): boolean {
  return row.status === 'active' && row.launch === launch;
}
