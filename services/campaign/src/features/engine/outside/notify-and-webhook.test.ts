import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { campaign } from '@tandem/campaign-contract';
import { identityPeer, members, type TestService, until, users } from '@tandem/testing';
import { aNode, startCampaign } from '../../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../../crm-peer.test-service.ts';
import {
  type Api,
  codeOf,
  enrolled,
  hurry,
  inARow,
  inStatus,
  publishErrors,
  published,
  ran,
} from '../../../engine.test-service.ts';
import { isSigned } from '../../workflow-secrets/signature.ts';

let crm: CrmPeer;
let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof campaign>;
let receiver: Server;
let url: string;
const received: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
/** The statuses with which the receiver answers, by path; 200 after the last one. */
const answers = new Map<string, number[]>();
/** The requests that the receiver does not answer. */
const unanswered: ServerResponse[] = [];
beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const path = request.url as string;
    if (path === '/silent') return void unanswered.push(response);
    received.push({ path, headers: request.headers, body: await text(request) });
    response.writeHead(answers.get(path)?.shift() ?? 200, { location: '/elsewhere' }).end('ok');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  [crm, identity] = await Promise.all([crmPeer(), identityPeer()]);
  service = await startCampaign(undefined, identity.url, { CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  receiver?.closeAllConnections();
  await Promise.all([crm?.close(), identity?.close(), new Promise((resolve) => receiver?.close(resolve))]);
});

const aLead = (api: Api, fields: Record<string, unknown> = {}) =>
  crm.addLead(api.caller.tenantId as number, { firstName: 'Ada', ...fields });
let paths = 0;
const webhook = (path: string) => aNode('hook', { type: 'webhook', data: { url: url + path } });
const callsTo = (path: string) => received.filter((one) => one.path === path);

describe('a webhook node', () => {
  it('posts the lead and the payload, signed with the secret of the workflow', async () => {
    const api = service.as();
    const leadId = aLead(api, { score: 40 });
    const path = `/${++paths}`;
    const id = await published(api, inARow(webhook(path)));
    const { data: rotated } = await api.rotateWorkflowSecret({ params: { id } });
    const executionId = await enrolled(api, id, leadId);
    const { steps } = await inStatus(api, executionId, 'completed');
    expect(steps[1]).toMatchObject({ outcome: 'done', result: { status: 200 } });
    const [call, ...others] = callsTo(path);
    expect(others).toEqual([]);
    const body = JSON.parse(call?.body as string);
    expect(body).toMatchObject({
      type: 'workflow.webhook',
      data: {
        workflowId: codeOf(api, 'workflow', id),
        executionId: codeOf(api, 'workflow_execution', executionId),
        nodeId: 'hook',
        environment: 'live',
        lead: { id: codeOf(api, 'lead', leadId), firstName: 'Ada', score: 40 },
        payload: {},
      },
    });
    const bytes = Buffer.from(call?.body as string);
    expect(isSigned(bytes, call?.headers as Record<string, string>, [rotated.secret])).toBe(true);
    expect(isSigned(bytes, call?.headers as Record<string, string>, [`whsec_${btoa('another')}`])).toBe(false);
    // The secret of the publication still signs, for a day.
    expect(call?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  });

  it('whose receiver does not answer holds up no other nodes', async () => {
    const [api, other] = [service.as(), service.as()];
    const silent = await published(api, inARow(webhook('/silent')));
    for (const _ of [1, 2]) {
      const leadIds = Array.from({ length: 100 }, () => aLead(api));
      await api.enrollLeads({ params: { id: silent }, body: { leadIds } });
    }
    // As many as run at once.
    await until('the calls wait', () => unanswered.length >= 100);
    await ran(other, aLead(other), aNode('call', { type: 'create_task', data: { title: 'Call' } }));
    expect(unanswered[0]?.closed).toBe(false);
    await api.archiveWorkflow({ params: { id: silent } });
    for (const response of unanswered) response.end();
  });

  it('is repeated while the receiver is unavailable, with the same id, and the execution waits', async () => {
    const api = service.as();
    const path = `/${++paths}`;
    answers.set(path, [503, 429]);
    const executionId = await enrolled(api, await published(api, inARow(webhook(path))), aLead(api));
    for (const tries of [1, 2]) {
      await until('it was tried', () => callsTo(path).length === tries);
      const execution = await inStatus(api, executionId, 'waiting');
      expect(execution.steps[1]).toMatchObject({ outcome: 'waiting', result: { reason: 'webhook_unavailable' } });
      await hurry(service, api, executionId);
    }
    await inStatus(api, executionId, 'completed');
    const ids = callsTo(path).map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
  });

  it.each([400, 404, 302])(
    'that gets %d is skipped, follows no redirect, and the execution goes on',
    async (status) => {
      const api = service.as();
      const path = `/${++paths}`;
      answers.set(path, [status]);
      const { steps } = await ran(api, aLead(api), webhook(path));
      expect(steps[1]).toMatchObject({ outcome: 'skipped', skipReason: 'refused', result: { status } });
      expect(callsTo('/elsewhere')).toEqual([]);
    },
  );

  it('cannot be published with a private address, and is not called if the address becomes private', async () => {
    const guarded = await startCampaign(undefined, identity.url, {
      CRM_URL: crm.url,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: false,
    });
    try {
      const api = guarded.as();
      const hook = (address: string) => aNode('hook', { type: 'webhook', data: { url: address } });
      const field = 'nodes.hook.url';
      expect(await publishErrors(api, hook('https://127.0.0.1/x'))).toEqual([
        { field, message: 'Must not point to a private address' },
      ]);
      expect(await publishErrors(api, hook('http://example.com/x'))).toEqual([
        { field, message: 'Must be an https URL' },
      ]);
      const path = `/${++paths}`;
      const id = await published(api, inARow(hook('https://hooks.invalid/x')));
      await guarded.sqlWithin(
        api.caller,
        `UPDATE workflow_version SET nodes = replace(nodes::text, 'https://hooks.invalid/x', $2)::jsonb WHERE workflow_id = $1`,
        [id, url + path],
      );
      const { steps } = await inStatus(api, await enrolled(api, id, aLead(api)), 'completed');
      expect(steps[1]).toMatchObject({ outcome: 'skipped', skipReason: 'blocked_address' });
      expect(callsTo(path)).toEqual([]);
    } finally {
      await guarded.close();
    }
  });
});

describe('a notify node', () => {
  const notify = (data: Record<string, unknown>) => aNode('tell', { type: 'notify', data });
  const eventOf = (api: Api) =>
    until('workflow.notified arrives', () =>
      service.events.find((one) => one.name === 'workflow.notified' && one.tenantId === api.caller.tenantId),
    );

  it('is recorded and told also with a text that the database cannot store', async () => {
    const api = service.as();
    // The longest message ends within a surrogate pair, and has a NUL.
    const leadId = aLead(api, { assignedTo: users.active, customFields: { wish: '\u{1f600}'.repeat(600) } });
    const message = '{{ "%00" | url_decode }}A{{ lead.customFields.wish }}';
    const { status, steps } = await ran(api, leadId, notify({ message }));
    const told = `A${'\u{1f600}'.repeat(499)}`;
    expect([status, steps[1]]).toMatchObject(['completed', { outcome: 'done', input: { message: told } }]);
    expect((await eventOf(api)).data).toMatchObject({ message: told });
  });

  it('tells identity once which users are notified, and with which text', async () => {
    const api = service.as();
    const leadId = aLead(api);
    const userIds = [codeOf(api, 'user', users.active), codeOf(api, 'user', members.seller)];
    const { steps } = await ran(api, leadId, notify({ userIds, message: '{{ lead.firstName }} is hot' }));
    expect(steps[1]).toMatchObject({ outcome: 'done', input: { userIds, message: 'Ada is hot' } });
    const { data, record } = await eventOf(api);
    expect(data).toMatchObject({ leadId, userIds: [users.active, members.seller], message: 'Ada is hot' });
    expect(record).toMatchObject({ name: 'Test' });
    const all = service.events.filter(
      ({ name, tenantId }) => name === 'workflow.notified' && tenantId === api.caller.tenantId,
    );
    expect(all).toHaveLength(1);
  });

  it('notifies the assignee of the lead by default, and is skipped without one', async () => {
    const api = service.as();
    const node = notify({ message: 'Look' });
    const nobody = await ran(api, aLead(api), node);
    expect(nobody.steps[1]).toMatchObject({ outcome: 'skipped', skipReason: 'no_recipient' });
    await ran(api, aLead(api, { assignedTo: users.active }), node);
    expect((await eventOf(api)).data).toMatchObject({ userIds: [users.active] });
  });

  it('cannot be published with users who are not active, or are unknown', async () => {
    const api = service.as();
    const userIds = [users.active, users.suspended, users.nobody].map((id) => codeOf(api, 'user', id));
    const errors = await publishErrors(api, notify({ userIds: [...userIds, 'nobody'], message: 'Look' }));
    expect(errors.map(({ field }) => field)).toEqual([
      'nodes.tell.userIds.1',
      'nodes.tell.userIds.2',
      'nodes.tell.userIds.3',
    ]);
    expect(await publishErrors(api, notify({ message: '{{ broken' }))).toMatchObject([{ field: 'nodes.tell.message' }]);
  });
});
