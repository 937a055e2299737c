import { type Agents, agentOf, aWaitingExecution, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('listApprovals', () => {
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

  it('contains pending approvals by default, and others by status', async () => {
    const { api, approval } = await aWaitingExecution(service);
    expect(idsOf(await api.listApprovals())).toEqual([approval.id]);
    await api.rejectExecution({ params: { id: approval.id }, body: { reason: 'No' } });
    expect([
      idsOf(await api.listApprovals()),
      idsOf(await api.listApprovals({ query: { status: 'rejected' } })),
      idsOf(await api.listApprovals({ query: { status: 'approved' } })),
    ]).toEqual([[], [approval.id], []]);
  });

  it('filters by agent', async () => {
    const { api, id, approval } = await aWaitingExecution(service);
    const caller = await agentOf(api, 'caller');
    expect([
      idsOf(await api.listApprovals({ query: { agentId: id } })),
      idsOf(await api.listApprovals({ query: { agentId: caller } })),
    ]).toEqual([[approval.id], []]);
  });

  it('does not contain those of another tenant or environment', async () => {
    const { api } = await aWaitingExecution(service);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect([idsOf(await service.as().listApprovals()), idsOf(await sandbox.listApprovals())]).toEqual([[], []]);
  });
});
