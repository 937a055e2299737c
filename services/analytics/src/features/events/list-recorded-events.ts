import type { engagement } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { warnOfRemovedEvents } from '../retention/index.ts';
import { asEvent } from './event.ts';

export const listRecordedEvents: Handler<typeof engagement.listRecordedEvents> = async ({
  query,
  tx,
  list,
  missing,
}) => {
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
  if (from) await warnOfRemovedEvents({ tx, missing }, { part: 'data', from });
  return { ...page, items: page.items.map(asEvent) };
};
