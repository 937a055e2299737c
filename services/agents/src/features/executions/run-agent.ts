import type { executions } from '@tandem/agents-contract';
import { unknownId } from '@tandem/contract';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { startExecution } from './start-execution.ts';
import { checkSchedule, readStartable, type Startable } from './startable.ts';

export const runAgent = (tools: Tools): Handler<typeof executions.runAgent, Startable> => ({
  async check({ params, body: { leadId, scheduledFor }, caller, tx }) {
    checkSchedule(scheduledFor);
    const startable = await readStartable(tools, { caller, tx }, { agentId: params.id, leadIds: [leadId] });
    if (!startable.readable.has(leadId)) throw failField('leadId', unknownId('lead'));
    return startable;
  },
  run({ body: { leadId, input = null, scheduledFor }, found, ...context }) {
    return startExecution(context, found, { leadId, input, scheduledFor });
  },
});
