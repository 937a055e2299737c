import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import { aNode, asVisitor, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type Api, codeOf, inARowAfter, published } from '../../engine.test-service.ts';
import { signatureHeaders } from './signature.ts';

let crm: CrmPeer;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  crm = await crmPeer();
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
});

const graph = inARowAfter(
  { triggerType: 'webhook' },
  aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } }),
);
const now = () => Math.floor(Date.now() / 1_000);
let requests = 0;

async function aHook(api: Api = service.as()) {
  const id = await published(api, graph);
  const { data } = await api.rotateWorkflowSecret({ params: { id } });
  return { api, id, secret: data.secret as string, code: codeOf(api, 'workflow', id) };
}

function call(
  code: string,
  secret: string,
  body: object | string,
  { timestamp = now(), id = `req-${++requests}`, sent }: { timestamp?: number; id?: string; sent?: string } = {},
) {
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = signatureHeaders({ id, timestamp, body: content }, [secret]);
  const raw = { content: sent ?? content, type: 'application/json' };
  return asVisitor(service, 'triggerSignedWorkflow', { params: { id: code }, raw, headers });
}

const aLead = (api: Api) => crm.addLead(api.caller.tenantId as number);

it('starts the workflow for a lead by its id or address, with the values of the payload', async () => {
  const { api, id, code, secret } = await aHook();
  const [one, other] = [aLead(api), aLead(api)];
  const first = await call(code, secret, { leadId: codeOf(api, 'lead', one), payload: { order: 7 } });
  expect([first.status, first.data.result]).toEqual([202, 'enrolled']);
  const second = await call(code, secret, `{ "email" : "lead${other}@example.com" }`);
  expect([second.status, second.data.result]).toEqual([202, 'enrolled']);
  const { data } = await api.listWorkflowExecutions({ params: { id } });
  expect(data.map(({ leadId, source }: Record<string, string>) => [leadId, source])).toEqual([
    [other, 'webhook'],
    [one, 'webhook'],
  ]);
});

it('returns the same execution for a repeated request', async () => {
  const { api, code, secret } = await aHook();
  const body = { leadId: codeOf(api, 'lead', aLead(api)) };
  const first = await call(code, secret, body, { id: 'order-1' });
  const again = await call(code, secret, body, { id: 'order-1' });
  expect(again.data).toEqual(first.data);
});

it('refuses a missing, wrong, altered or old signature with 401, and starts nothing', async () => {
  const { api, id, code, secret } = await aHook();
  const body = { leadId: codeOf(api, 'lead', aLead(api)) };
  const other = await aHook();
  const raw = { content: JSON.stringify(body), type: 'application/json' };
  const refused = await Promise.all([
    asVisitor(service, 'triggerSignedWorkflow', { params: { id: code }, raw }),
    call(code, other.secret, body),
    call(code, secret, body, { sent: JSON.stringify({ ...body, payload: {} }) }),
    call(code, secret, body, { timestamp: now() - 301 }),
    call(code, secret, body, { timestamp: now() + 330 }),
    call(codeOf(api, 'workflow', '999999'), secret, body),
    call('nothing', secret, body),
  ]);
  expect(refused.map(({ status, body: { code: error } }) => [status, error])).toEqual(
    refused.map(() => [401, 'wrong_signature']),
  );
  expect((await api.listWorkflowExecutions({ params: { id } })).data).toEqual([]);
  expect((await call(code, secret, body, { timestamp: now() - 290 })).status).toBe(202);
});

it('names the wrong field of a signed body', async () => {
  const { api, code, secret } = await aHook();
  const fields = async (body: object | string) => {
    const reply = await call(code, secret, body);
    return [reply.status, reply.body.errors?.[0]?.field];
  };
  expect(await fields({})).toEqual([422, 'leadId']);
  expect(await fields({ email: 'nobody@example.com' })).toEqual([422, 'email']);
  expect(await fields({ leadId: 5 })).toEqual([422, 'leadId']);
  expect(await fields({ leadId: codeOf(api, 'lead', aLead(service.as())) })).toEqual([422, 'leadId']);
  expect((await fields('{'))[0]).toBe(400);
});

it('refuses an id of the request that is too long for the id of an event, unless the body has one', async () => {
  const { api, id, code, secret } = await aHook();
  const body = { leadId: codeOf(api, 'lead', aLead(api)) };
  const tooLong = 'i'.repeat(101);
  const refused = await call(code, secret, body, { id: tooLong });
  expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'webhook-id']);
  expect((await call(code, secret, { ...body, eventId: 'order-2' }, { id: tooLong })).status).toBe(202);
  const { data } = await api.listWorkflowExecutions({ params: { id } });
  expect(data.map(({ eventId }: Record<string, string>) => eventId)).toEqual(['order-2']);
});

it('accepts a replaced secret for a day, and the one before that no more', async () => {
  const { api, id, code, secret: first } = await aHook();
  const { data: second } = await api.rotateWorkflowSecret({ params: { id } });
  const body = () => ({ leadId: codeOf(api, 'lead', aLead(api)) });
  expect((await call(code, first, body())).status).toBe(202);
  expect((await call(code, second.secret, body())).status).toBe(202);
  await service.sqlWithin(
    api.caller,
    `UPDATE workflow SET secret_rotated_at = now() - interval '25 hours' WHERE id = $1`,
    [id],
  );
  expect((await call(code, first, body())).status).toBe(401);
  await api.rotateWorkflowSecret({ params: { id } });
  expect((await call(code, first, body())).status).toBe(401);
  expect((await call(code, second.secret, body())).status).toBe(202);
});

it('shows the secret once, seals it, and honours If-Match and the state of the workflow', async () => {
  const { api, id, secret, code } = await aHook();
  const workflow = await api.getWorkflow({ params: { id } });
  expect(JSON.stringify(workflow.body)).not.toContain('whsec_');
  const [row] = await service.sqlWithin(api.caller, 'SELECT secret FROM workflow WHERE id = $1', [id]);
  expect(row?.secret).not.toContain(secret.slice(6, 20));
  const stale = await api.rotateWorkflowSecret({ params: { id }, headers: { 'if-match': '"1"' } });
  expect(stale.status).toBe(412);
  expect((await service.as().rotateWorkflowSecret({ params: { id } })).status).toBe(404);
  await api.pauseWorkflow({ params: { id } });
  const paused = await call(code, secret, { leadId: codeOf(api, 'lead', aLead(api)) });
  expect([paused.status, paused.body.code]).toEqual([409, 'not_published']);
  await api.archiveWorkflow({ params: { id } });
  expect((await api.rotateWorkflowSecret({ params: { id } })).body.code).toBe('workflow_archived');
});

it('requires leads:read for all records, because the secret enrolls any lead', async () => {
  const { api, id, secret, code } = await aHook();
  for (const more of [[], ['leads:read:own'], ['leads:read:team']]) {
    const restricted = service.as({ ...api.caller, permissions: ['workflows:read', 'workflows:write', ...more] });
    const refused = await restricted.rotateWorkflowSecret({ params: { id } });
    expect([refused.status, refused.body.errors, refused.data?.secret]).toEqual([
      403,
      [{ field: 'id', message: 'Requires the permission leads:read for all records' }],
      undefined,
    ]);
  }
  expect((await call(code, secret, { leadId: codeOf(api, 'lead', aLead(api)) })).status).toBe(202);
  const permitted = service.as({ ...api.caller, permissions: ['workflows:write', 'leads:read'] });
  expect((await permitted.rotateWorkflowSecret({ params: { id } })).status).toBe(200);
});
