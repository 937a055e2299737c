import { agents } from '@tandem/agents-contract';
import { everyList } from '@tandem/testing';
import { type Agents, startAgents } from './agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

everyList(agents, () => service, {
  'listAgents.kind': 'a tenant has two agents',
  'listAgents.status': 'a tenant has two agents',
  'listAgents.search': 'a tenant has two agents',
});
