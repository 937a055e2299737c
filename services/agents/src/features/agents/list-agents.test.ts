import { agents } from '@tandem/agents-contract';
import { everyOperation } from '@tandem/testing';
import { type Agents, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

everyOperation(agents, () => service);

describe('listAgents', () => {
  it('returns one caller and one recommender by default, in each environment', async () => {
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const one of [api, sandbox]) {
      const replies = await Promise.all([one.listAgents(), one.listAgents({ query: { status: 'active' } })]);
      for (const { data } of replies)
        expect(data.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['caller', 'recommender']);
    }
  });

  it('filters by kind and status', async () => {
    const api = service.as();
    const kinds = async (query: Record<string, string>) =>
      (await api.listAgents({ query })).data.map(({ kind }: { kind: string }) => kind);
    const [caller] = (await api.listAgents({ query: { kind: 'caller' } })).data;
    await api.pauseAgent({ params: { id: caller.id } });
    expect([
      await kinds({ kind: 'recommender' }),
      await kinds({ status: 'paused' }),
      await kinds({ status: 'active' }),
      await kinds({ kind: 'recommender', status: 'paused' }),
    ]).toEqual([['recommender'], ['caller'], ['recommender'], []]);
  });
});
