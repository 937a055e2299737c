import { type NodeData, type scheduledTriggerTypes, triggerIntervalMinutes } from '@tandem/campaign-contract';
import { ServiceCallError } from '@tandem/client/internal';
import { meets } from '@tandem/crm-contract';
import { type Inside, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { type Enrollment, enroll } from '../engine/enroll.ts';
import { dataOf } from '../engine/graph.ts';
import { type Entrance, readEnterable } from '../workflows/enterable.ts';
import { findByDate } from './find-by-date.ts';
import { findInSegment } from './find-in-segment.ts';
import { findInactive } from './find-inactive.ts';
import { runTriggerJob } from './schedule-trigger.ts';
import type { Find, Page } from './search.ts';

const intervalMs = triggerIntervalMinutes * 60_000;
// The time for which occurrences are caught up after an outage of the platform or a pause of the workflow.
const catchUpMs = 24 * 3_600_000;
const unavailableMs = 60_000;

const State = z.object({ until: z.coerce.date(), part: z.int(), after: z.int().nullable(), seen: z.int() });
type State = z.output<typeof State>;

const finders: Readonly<Record<(typeof scheduledTriggerTypes)[number], Find>> = {
  date: findByDate,
  inactivity: findInactive,
  segment: findInSegment,
};

/**
 * Looks for leads that a trigger starts, page by page, and enrolls them. Each page is recorded with its enrollments, and the
 * event of a lead enrolls it once, so a repeated run changes nothing.
 */
export const runTrigger = (tools: Tools) =>
  job({
    ...runTriggerJob,
    async run({ payload, tx, outside, finish }: JobContext<z.output<typeof runTriggerJob.payload>, Tx>) {
      const { workflowId, wake } = payload;
      const row = await tx.workflowTrigger.findFirst({ where: { workflowId, wake } });
      if (!row) return;
      const entrance = await readEnterable(tx, workflowId);
      if (!entrance) {
        const startAt = await startOf(tx, workflowId);
        // The workflow was paused or archived, or its campaign ended: then there is another job, or will be.
        if (!startAt) return;
        // The job became due by the clock of the database, and by the clock of this process the campaign begins later.
        return finish(async () => new Date(Math.max(startAt.getTime(), Date.now()) + 1_000));
      }
      const data = dataOf(entrance.trigger, 'trigger');
      const find = finders[data.triggerType as keyof typeof finders] as Find | undefined;
      if (!find) return;
      const { until, part, after, seen } = row.state === null ? begin() : State.parse(row.state);
      const { tenantId } = row;
      const as = {
        tenantId,
        environment: row.environment as 'live' | 'sandbox',
        requestId: `workflow_trigger_${workflowId}`,
      };
      const earliest = new Date(until.getTime() - catchUpMs);
      const from = row.ranUntil === null || row.ranUntil < earliest ? earliest : row.ranUntil;
      const isFirst = row.ranUntil === null;
      let page: Page;
      try {
        page = await outside(() =>
          find(tools, tx, { entrance, data, tenantId, from, until, part, after, seen, isFirst, as }),
        );
      } catch (error) {
        if (!(error instanceof ServiceCallError) || error.status < 500) throw error;
        return finish(async () => new Date(Date.now() + unavailableMs));
      }
      await finish((inside) => record(inside, { workflowId, wake, entrance, data, page, until }));
    },
  });

/** The start of the campaign of a published workflow that leads can enter from then on. */
async function startOf(tx: Tx, workflowId: number): Promise<Date | undefined> {
  const [row] = await tx.sql<{ startAt: Date }>`SELECT campaign.start_at AS "startAt"
    FROM workflow JOIN campaign ON campaign.id = workflow.campaign_id
    WHERE workflow.id = ${workflowId} AND workflow.status = 'published'
      AND campaign.status IN ('active', 'paused') AND campaign.start_at IS NOT NULL`;
  return row?.startAt;
}

function begin(): State {
  return { until: new Date(), part: 0, after: null, seen: 0 };
}

interface Found {
  workflowId: number;
  wake: number;
  entrance: Entrance;
  data: NodeData<'trigger'>;
  page: Page;
  until: Date;
}

async function record(
  inside: Inside<Tx>,
  { workflowId, wake, entrance, data, page, until }: Found,
): Promise<Date | undefined> {
  const { tx } = inside;
  const current = await tx.workflowTrigger.lockFirst({ where: { workflowId, wake } });
  if (!current) return undefined;
  const conditions = data.conditions ?? [];
  const entries = page.leads
    .filter(({ lead }) =>
      conditions.every(({ field, operator, value = null }) => meets(lead, { field, operator, value })),
    )
    .map(({ lead, event, payload = {} }): Enrollment => ({ leadId: lead.id, eventId: `${event}-${lead.id}`, payload }));
  await enroll(inside, entrance, entries, { source: 'event' });
  await page.remember?.(tx);
  const { next, seen } = page;
  const state = next && { until: until.toISOString(), ...next, seen };
  await tx.sql`UPDATE workflow_trigger SET state = ${state === null ? null : JSON.stringify(state)}::jsonb,
      ran_until = CASE WHEN ${state === null} THEN ${until}::timestamptz ELSE ran_until END
    WHERE workflow_id = ${workflowId}`;
  return next ? new Date() : new Date(Date.now() + intervalMs);
}
