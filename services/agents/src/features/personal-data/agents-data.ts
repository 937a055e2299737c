import { Approval, BulkRunRejection, Execution, LeadErrorCode, Recommendation } from '@tandem/agents-contract';
import type { StoredSection } from '@tandem/contract';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asApproval } from '../approvals/approval.ts';
import { hangUpCallJob, openCallsOf } from '../calls/phone-call.ts';
import { asExecution, liveStatuses, lockExecutions } from '../executions/execution.ts';
import { asRecommendation } from '../recommendations/recommendation.ts';

const batchMax = 500;

/** The data of a person in agents: executions, with their recommendations and approvals, and rejections by bulk runs. */
export const agentsData: PersonalData<Tx> = {
  async erase({ tx, schedule, person: { leadIds } }) {
    await tx.sql`UPDATE agent_schedule SET version = version + 1, lead_ids = ARRAY(
        SELECT lead FROM unnest(lead_ids) WITH ORDINALITY AS one (lead, position)
        WHERE lead <> ALL(${leadIds}::bigint[]) ORDER BY position)
      WHERE lead_ids && ${leadIds}::bigint[]`;
    const rows = await tx.execution.findMany({
      where: { leadId: { in: leadIds } },
      select: { id: true },
      orderBy: { id: 'asc' },
      take: batchMax,
    });
    const ids = rows.map(({ id }) => id);
    // A process that starts a call stores its id before this lock, or finds that the row is gone.
    await lockExecutions(tx, ids, liveStatuses);
    // The rows of calls in progress go with their executions.
    const calls = (await openCallsOf(tx, ids)).flatMap(({ callId }) => (callId === null ? [] : [{ callId }]));
    if (calls.length) await schedule(hangUpCallJob, calls);
    const { count } = await tx.execution.deleteMany({ where: { id: { in: ids } } });
    const rejected = await tx.bulkRunRejection.findMany({
      where: { leadId: { in: leadIds } },
      select: { id: true },
      orderBy: { id: 'asc' },
      take: batchMax,
    });
    const rejections = await tx.bulkRunRejection.deleteMany({ where: { id: { in: rejected.map(({ id }) => id) } } });
    return { executions: count, rejections: rejections.count };
  },
  async read({ tx, person: { leadIds } }): Promise<StoredSection[]> {
    const where = { leadId: { in: leadIds } };
    const newest = { where, orderBy: { id: 'desc' } } as const;
    return [
      await exportSection('executions', Execution, {
        count: () => tx.execution.count({ where }),
        find: async (take) => (await tx.execution.findMany({ ...newest, take })).map(asExecution),
      }),
      await exportSection('recommendations', Recommendation, {
        count: () => tx.recommendation.count({ where }),
        find: async (take) => (await tx.recommendation.findMany({ ...newest, take })).map(asRecommendation),
      }),
      await exportSection('approvals', Approval, {
        count: () => tx.approval.count({ where }),
        find: async (take) => (await tx.approval.findMany({ ...newest, take })).map(asApproval),
      }),
      await exportSection('bulkRunRejections', BulkRunRejection, {
        count: () => tx.bulkRunRejection.count({ where }),
        find: async (take) => {
          const rows = await tx.bulkRunRejection.findMany({ ...newest, take });
          return rows.map(({ code, ...row }) => ({ ...row, code: LeadErrorCode.parse(code) }));
        },
      }),
    ];
  },
};
