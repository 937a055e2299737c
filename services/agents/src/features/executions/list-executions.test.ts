import { type Agents, runThrough, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('listExecutions', () => {
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

  it('filters by agent, lead, status and bulk run', async () => {
    const api = service.as();
    const { run, executions } = await runThrough(api, 'recommender', [service.aLead()]);
    const { executions: calls } = await runThrough(api, 'caller', [service.aLead({ phone: null })]);
    const [succeeded, failed] = [executions[0], calls[0]];
    const list = async (query: Record<string, string>) => idsOf(await api.listExecutions({ query }));
    expect([
      await list({ sort: 'createdAt' }),
      await list({ agentId: failed.agentId }),
      await list({ leadId: succeeded.leadId }),
      await list({ status: 'failed' }),
      await list({ bulkRunId: run.id }),
      await list({ bulkRunId: run.id, status: 'failed' }),
    ]).toEqual([[succeeded.id, failed.id], [failed.id], [succeeded.id], [failed.id], [succeeded.id], []]);
  });

  it('does not contain those of another tenant or environment', async () => {
    const api = service.as();
    await runThrough(api, 'recommender', [service.aLead()]);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect([idsOf(await service.as().listExecutions()), idsOf(await sandbox.listExecutions())]).toEqual([[], []]);
  });
});
