import { AgentKind, agents } from '@tandem/agents-contract';
import { everyList } from '@tandem/testing';
import { type Agents, startAgents } from './agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

// A tenant has one agent of each kind; no operation creates one.
everyList(agents, () => service, { recordsMax: { agent: AgentKind.options.length } });
