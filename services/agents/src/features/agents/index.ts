import type { agentRows } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getAgent } from './get-agent.ts';
import { getAgentDashboard } from './get-agent-dashboard.ts';
import { listAgents } from './list-agents.ts';
import { pauseAgent } from './pause-agent.ts';
import { resumeAgent } from './resume-agent.ts';
import { updateAgent } from './update-agent.ts';

export const agentHandlers = {
  getAgentDashboard,
  listAgents,
  getAgent,
  updateAgent,
  pauseAgent,
  resumeAgent,
} satisfies Handlers<typeof agentRows, Tx>;
