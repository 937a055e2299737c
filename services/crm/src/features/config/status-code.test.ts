import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
type Api = ReturnType<typeof service.as>;

const lead = async (api: Api, fields = {}) => (await api.createLead({ body: aLead(fields) })).data;
const eventsOf = (api: Api, name: string) =>
  service.events.filter((one) => one.name === name && one.tenantId === api.caller.tenantId);

describe('statusCode of a lead', () => {
  it('changes with the status, by its category, within the state table', async () => {
    const api = service.as();
    await api.createStatus({ body: { code: 'nurturing', name: 'Nurturing' } });
    const { id } = await lead(api);
    const change = (body: object) => api.changeLeadStatus({ params: { id }, body });
    expect((await change({ statusCode: 'nurturing' })).data).toMatchObject({
      status: 'contacted',
      statusCode: 'nurturing',
    });
    expect((await change({ statusCode: 'contacted' })).data).toMatchObject({
      status: 'contacted',
      statusCode: 'contacted',
    });
    expect((await change({ statusCode: 'contacted' })).body.code).toBe('transition_refused');
    expect((await change({ statusCode: 'new' })).body.code).toBe('transition_refused');
    expect((await change({ status: 'qualified' })).data.statusCode).toBe('qualified');
    expect((await change({ status: 'contacted', statusCode: 'nurturing' })).data.statusCode).toBe('nurturing');
    const unlike = await change({ status: 'qualified', statusCode: 'nurturing' });
    expect([unlike.status, unlike.body.errors?.[0]?.field]).toEqual([422, 'statusCode']);
    expect((await change({ statusCode: 'unheard' })).body.errors?.[0]?.field).toBe('statusCode');
    expect((await change({})).body.errors?.[0]?.field).toBe('status');
    const events = await until('the events arrive', () => {
      const found = eventsOf(api, 'lead.status_changed');
      return found.length === 4 ? found : undefined;
    });
    expect(events.map(({ data }) => (data as { toCode: string }).toCode)).toEqual([
      'nurturing',
      'contacted',
      'qualified',
      'nurturing',
    ]);
  });

  it('is set by create, PATCH and bulk update, and filters the list', async () => {
    const api = service.as();
    await api.createStatus({ body: { code: 'nurturing', name: 'Nurturing' } });
    const one = await lead(api, { statusCode: 'nurturing' });
    const [two, three] = [await lead(api), await lead(api, { status: 'unqualified' })];
    expect([one.status, two.statusCode, three.statusCode]).toEqual(['contacted', 'new', 'unqualified']);
    const patched = await api.updateLead({ params: { id: two.id }, body: { statusCode: 'nurturing' } });
    expect(patched.data).toMatchObject({ status: 'contacted', statusCode: 'nurturing' });
    const code = ids.encode('lead', api.caller.tenantId as number, Number(three.id));
    const bulk = await api.bulkUpdateLeads({ body: { ids: [code], change: { statusCode: 'nurturing' } } });
    expect(bulk.data.succeeded).toBe(1);
    expect((await api.listLeads({ query: { statusCode: 'nurturing' } })).data).toHaveLength(3);
  });

  it('of a converted lead cannot change', async () => {
    const api = service.as();
    await api.createStatus({ body: { code: 'hot', name: 'Hot', category: 'qualified' } });
    const { id } = await lead(api);
    await api.convertLead({ body: { leadId: id, currency: 'EUR' } });
    expect((await api.getLead({ params: { id } })).data).toMatchObject({
      status: 'qualified',
      statusCode: 'qualified',
    });
    const reply = await api.changeLeadStatus({ params: { id }, body: { statusCode: 'hot' } });
    expect([reply.status, reply.body.code]).toEqual([409, 'lead_converted']);
  });
});
