import { leadCreated } from '@tandem/crm-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { assignNewLeadsJob } from './assign-new-leads.job.ts';

/** Schedules the assignment of new leads without an assignee, if there are rules for them. */
export const assignLeads = consumer({
  name: 'assign-leads',
  on: [leadCreated],
  async handle(events, { tx, schedule }: ConsumerContext<Tx>) {
    // First, because most tenants have no such rule, and reading the records of an import takes longer.
    const rules = await tx.assignmentRule.count({ where: { active: true, applyToNew: true } });
    if (!rules) return;
    const unassigned = events.filter(({ record }) => record.assignedTo === null);
    if (!unassigned.length) return;
    await schedule(
      assignNewLeadsJob,
      unassigned.map(({ tenantId, record }) => ({ tenantId, leadId: record.id })),
    );
  },
});
