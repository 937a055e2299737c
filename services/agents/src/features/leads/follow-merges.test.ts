import { publishLeadMerge, until } from '@tandem/testing';
import { type Agents, aWaitingExecution, codeOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

type Api = ReturnType<Agents['as']>;
const tables = ['execution', 'recommendation', 'approval'];

/** The leads of the rows of each table. */
async function leadsOf(api: Api): Promise<number[][]> {
  const rows = await Promise.all(
    tables.map((table) => service.sqlWithin(api.caller, `SELECT lead_id AS id FROM ${table} ORDER BY id`)),
  );
  return rows.map((of) => of.map(({ id }) => Number(id)));
}

const become = (api: Api, wanted: number[][]) =>
  until(`the leads are ${JSON.stringify(wanted)}`, async () => {
    return JSON.stringify(await leadsOf(api)) === JSON.stringify(wanted);
  });

it('executions, recommendations and approvals of a merged lead move to the survivor and back', async () => {
  const { api, executionId } = await aWaitingExecution(service);
  const [{ lead }] = (await service.sqlWithin(api.caller, 'SELECT lead_id::int AS lead FROM execution')) as [
    { lead: number },
  ];
  await api.approveExecution({ params: { id: executionId }, body: {} });
  await until('it is advised', async () => (await leadsOf(api))[1]?.length === 1);
  const survivor = service.aLead();
  const told = { service, tenantId: api.caller.tenantId as number };
  await publishLeadMerge(told, { leadId: `${lead}`, into: `${survivor}`, version: 2 });
  await become(api, [[survivor], [survivor], [survivor]]);
  const { data } = await api.listExecutions({ query: { leadId: `${survivor}` } });
  expect(data).toHaveLength(1);
  await publishLeadMerge(told, { leadId: `${lead}`, from: `${survivor}`, version: 3 });
  await become(api, [[lead], [lead], [lead]]);
});

it('an execution stays while the agent is at work for the survivor', async () => {
  const { api, id, executionId } = await aWaitingExecution(service);
  const survivor = service.aLead();
  await api.runAgentInBulk({ params: { id }, body: { leadIds: [codeOf(api, survivor)] } });
  const [, , [lead]] = await until('both wait', async () => {
    const found = await leadsOf(api);
    return found[2]?.length === 2 && (found as [number[], number[], [number, number]]);
  });
  const told = { service, tenantId: api.caller.tenantId as number };
  await publishLeadMerge(told, { leadId: `${lead}`, into: `${survivor}`, version: 2 });
  // Several approvals of a lead are no conflict.
  await become(api, [
    [lead, survivor],
    [survivor, survivor],
    [survivor, survivor],
  ]);
  await api.rejectExecution({ params: { id: executionId }, body: { reason: 'Merged' } });
  await publishLeadMerge(told, { leadId: `${service.aLead()}`, into: `${survivor}`, version: 2 });
  await become(api, [
    [survivor, survivor],
    [survivor, survivor],
    [survivor, survivor],
  ]);
});
