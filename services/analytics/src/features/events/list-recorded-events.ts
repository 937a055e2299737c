import type { engagement } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { asEvent } from './event.ts';

export const listRecordedEvents: Handler<typeof engagement.listRecordedEvents> = async ({ query, tx, list }) => {
  const { type, leadId, workflowExecutionId, assignedTo, teamId, from, to, includeAutomated } = query;
  const page = await list({
    model: tx.engagementEvent,
    where: {
      ...(type && { type }),
      ...(leadId !== undefined && { leadId }),
      ...(workflowExecutionId && { workflowExecutionId }),
      ...(assignedTo !== undefined && { assignedTo }),
      ...(teamId !== undefined && { teamId }),
      ...(!includeAutomated && { automated: false }),
      ...((from || to) && { timestamp: { ...(from && { gte: from }), ...(to && { lte: to }) } }),
    },
  });
  return { ...page, items: page.items.map(asEvent) };
};
