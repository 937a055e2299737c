import type { agentRows } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createAgent } from './create-agent.ts';
import { deleteAgent } from './delete-agent.ts';
import { getAgent } from './get-agent.ts';
import { getAgentDashboard } from './get-agent-dashboard.ts';
import { listAgents } from './list-agents.ts';
import { pauseAgent } from './pause-agent.ts';
import { resumeAgent } from './resume-agent.ts';
import { updateAgent } from './update-agent.ts';

export const agentHandlers = (tools: Tools) =>
  ({
    getAgentDashboard: getAgentDashboard(tools),
    listAgents,
    createAgent: createAgent(tools),
    getAgent,
    deleteAgent,
    updateAgent: updateAgent(tools),
    pauseAgent,
    resumeAgent,
  }) satisfies Handlers<typeof agentRows, Tx>;
