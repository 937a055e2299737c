import { agents, agentsMax, scheduleLimits } from '@tandem/agents-contract';
import { everyList } from '@tandem/testing';
import { type Agents, startAgents } from './agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

everyList(agents, () => service, {
  recordsMax: { agent: agentsMax, agent_schedule: scheduleLimits.perEnvironment },
});
