import { cohortLimits } from '@tandem/analytics-contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { ApiError } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { asCohort, type CohortPayload, countCohortJob } from './cohort-definition.ts';
import { type Cohort, readMembers } from './members.ts';

interface Failure {
  code: string;
  message: string;
}

// Small enough that each statement ends within its time limit.
const insertedMax = 10_000;

const tooManyLeads = {
  code: 'too_many_leads',
  message: `More than ${cohortLimits.members} leads match; add conditions, or use a cohort that is not static`,
};
const tooManyEvents = {
  code: 'too_many_events',
  message: 'The conditions match too many engagement events; choose shorter times',
};
const unexpected = { code: 'count_failed', message: 'The count failed repeatedly; refresh the cohort later' };

/** Stores the leads that meet the filter of a static cohort, in place of those from before. */
export const countCohort = ({ heavy }: Pick<Tools, 'heavy'>) =>
  job({
    ...countCohortJob,
    // A count is as heavy as an export, so it waits behind them instead of delaying other jobs.
    lane: 'exports',
    async run({ payload: { cohortDefinitionId: id }, scope, tx, finish }: JobContext<CohortPayload, Tx>) {
      const row = await tx.cohortDefinition.findFirst({ where: { id, status: 'counting' } });
      if (!row) return;
      // Its stored leads are replaced, so it is read as if it had none.
      const cohort = { id, isStatic: false, filter: asCohort(row).filter };
      const leads = await heavy(scope.tenantId, () => readLeads(tx, cohort));
      await finish(async (inside) => {
        const current = await inside.tx.cohortDefinition.lockFirst({ where: { id, status: 'counting' } });
        if (!current) return undefined;
        // The filter changed meanwhile.
        if (current.version !== row.version) return new Date();
        if ('code' in leads) await end(inside.tx, id, failed(leads));
        else await storeMembers(inside.tx, id, leads);
        return undefined;
      });
    },
    async giveUp({ payload: { cohortDefinitionId: id }, tx }: GiveUpContext<CohortPayload, Tx>) {
      await end(tx, id, failed(unexpected));
    },
  });

async function readLeads(tx: Tx, cohort: Cohort): Promise<number[] | Failure> {
  try {
    const { given, query } = await readMembers(tx, cohort);
    const rows = await tx.sql<{ id: number }>`
      WITH cohort AS MATERIALIZED (SELECT ${given}::jsonb AS given)
      SELECT id FROM (${query}) AS member LIMIT ${cohortLimits.members + 1}::int`;
    return rows.length > cohortLimits.members ? tooManyLeads : rows.map(({ id }) => id);
  } catch (error) {
    if (error instanceof ApiError && error.code === tooManyEvents.code) return tooManyEvents;
    throw error;
  }
}

async function storeMembers(tx: Tx, id: number, leads: readonly number[]): Promise<void> {
  await tx.cohortMember.deleteMany({ where: { cohortId: id } });
  for (let first = 0; first < leads.length; first += insertedMax)
    // A lead that was merged meanwhile is stored as the one that remains, which may be there already.
    await tx.sql`INSERT INTO cohort_member (cohort_id, lead_id)
      SELECT ${id}::bigint, lead_id FROM unnest(${leads.slice(first, first + insertedMax)}::bigint[]) AS lead_id
      ON CONFLICT DO NOTHING`;
  await end(tx, id, { status: 'ready', memberCount: leads.length, countedAt: new Date() });
}

function failed({ code, message }: Failure) {
  return { status: 'failed', errorCode: code, errorMessage: message };
}

async function end(tx: Tx, id: number, data: object): Promise<void> {
  const where = { id, status: 'counting' };
  await tx.cohortDefinition.updateMany({ where, data: { ...data, version: { increment: 1 } } });
}
