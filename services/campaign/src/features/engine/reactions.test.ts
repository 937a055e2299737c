import { aNode } from '../../campaign.test-service.ts';
import {
  type Api,
  type Engine,
  email,
  enrolled,
  executionOf,
  hurry,
  inARow,
  inStatus,
  publishEngagement,
  published,
  startEngine,
  tenantOf,
  wait,
} from '../../engine.test-service.ts';

let engine: Engine;
let { crm, mailbox, service } = {} as Engine;
beforeAll(async () => {
  engine = await startEngine();
  ({ crm, mailbox, service } = engine);
});
afterAll(() => engine?.close());

const mailsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`);

describe('conditions', () => {
  const graph = () => {
    const nodes = [
      aNode('start', { type: 'trigger', data: {} }),
      email('one', {
        html: '<p>Look <a href="https://example.com/offer?a=1&amp;b=2">here</a> or <a href="mailto:a@b.de">write</a></p>',
      }),
      wait('pause'),
      aNode('opened', { type: 'condition', data: { conditionField: 'link_clicked' } }),
      email('yes'),
      email('no'),
    ];
    const pairs = [
      ['start', 'one'],
      ['one', 'pause'],
      ['pause', 'opened'],
      ['opened', 'yes'],
      ['opened', 'no'],
    ];
    return { nodes, edges: pairs.map(([source, target], index) => ({ edgeId: `e${index}`, source, target })) };
  };

  async function reached(isPerson: boolean) {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, graph());
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    const [mail] = mailsTo(leadId);
    const [, link] = /href="(https:\/\/api\.example\.com\/v1\/public\/t\/c\/[^"]+)"/.exec(mail?.html ?? '') ?? [];
    expect(mail?.html).toContain('href="mailto:a@b.de"');
    await backdate(api, leadId);
    const token = (link as string).split('/').at(-1) as string;
    const userAgent = isPerson ? 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' : 'Proofpoint-URL-Defense/1.0';
    const click = await service.as({ type: 'anonymous', userAgent } as never).trackClick({ params: { token } });
    expect([click.status, click.headers['location']]).toEqual([302, 'https://example.com/offer?a=1&b=2']);
    await hurry(service, api, executionId);
    await inStatus(api, executionId, 'completed');
    return { api, subjects: mailsTo(leadId).map(({ subject }) => subject), leadId };
  }

  it('follow the click of a person', async () => {
    const { subjects, api, leadId } = await reached(true);
    expect(subjects[1]).toContain('(yes)');
    const message = (await api.listMessages({ query: { leadId } })).data.find(
      ({ nodeId }: { nodeId: string }) => nodeId === 'one',
    );
    expect([message.clickedAt, message.openedAt]).toEqual([expect.any(String), expect.any(String)]);
  });

  it('ignore the click of a link scanner', async () => {
    const { subjects, api, leadId } = await reached(false);
    expect(subjects[1]).toContain('(no)');
    const { data } = await api.listMessages({ query: { leadId } });
    expect(data.map(({ clickedAt }: { clickedAt: string | null }) => clickedAt)).toEqual([null, null]);
  });
});

it('conditions and goals see what the nodes before them changed', async () => {
  const api = service.as();
  const leadId = crm.addLead(tenantOf(api), { score: 10 });
  const nodes = [
    aNode('start', { type: 'trigger', data: {} }),
    aNode('raise', { type: 'update_lead', data: { fields: { score: 90 } } }),
    aNode('hot', {
      type: 'condition',
      data: { conditionField: 'score', conditionOperator: 'at_least', conditionValue: 50 },
    }),
    aNode('tag', { type: 'update_lead', data: { addTags: ['vip'] } }),
    aNode('vip', { type: 'goal', data: { conditions: [{ field: 'tags', operator: 'contains', value: 'vip' }] } }),
    wait('pause'),
  ];
  const pairs = [
    ['start', 'raise'],
    ['raise', 'hot'],
    ['hot', 'tag'],
    ['hot', 'pause'],
    ['tag', 'vip'],
    ['vip', 'pause'],
  ];
  const edges = pairs.map(([source, target], index) => ({ edgeId: `e${index}`, source, target }));
  const { data: workflow } = await api.createWorkflow({ body: { name: 'Test', nodes, edges } });
  const reply = await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  const execution = await inStatus(api, await enrolled(api, workflow.id, leadId), 'completed');
  expect(execution).toMatchObject({ nodeId: 'vip', endReason: 'goal' });
});

describe('what leads do', () => {
  it('ends a sequence at a reply, and lets an execution continue that waits for it', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const ending = await published(api, inARow(wait('pause'), email('one')));
    const waiting = await published(
      api,
      inARow(aNode('answer', { type: 'wait_for_event', data: { event: 'email_reply', duration: 3 } }), email('thanks')),
      { exitOn: [] },
    );
    const [one, two] = [await enrolled(api, ending, leadId), await enrolled(api, waiting, leadId)];
    await Promise.all([inStatus(api, one, 'waiting'), inStatus(api, two, 'waiting')]);
    await publishEngagement(service, api, { type: 'email_reply', leadId });
    expect(await inStatus(api, one, 'exited')).toMatchObject({ endReason: 'reply', dueAt: null });
    const answered = await inStatus(api, two, 'completed');
    expect(answered.steps[1]).toMatchObject({ nodeId: 'answer', outcome: 'done', result: { branch: 'yes' } });
    expect(mailsTo(leadId)).toHaveLength(1);
  });

  it('ends a sequence when the lead unsubscribes, and no later message is sent', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(email('one'), wait('pause'), email('two')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    const [mail] = mailsTo(leadId);
    expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
    const [, token] =
      /<https:\/\/api\.example\.com\/v1\/public\/unsubscribe\/([^>]+)>/.exec(mail?.headers['list-unsubscribe'] ?? '') ??
      [];
    const anyone = service.as({ type: 'anonymous' } as never);
    expect((await anyone.getUnsubscribe({ params: { token: token as string } })).status).toBe(200);
    expect((await executionOf(api, executionId)).status).toBe('waiting');
    expect((await anyone.unsubscribe({ params: { token: token as string }, body: {} })).status).toBe(200);
    expect(await inStatus(api, executionId, 'exited')).toMatchObject({ endReason: 'unsubscribe' });
    const again = await published(api, inARow(email('three')));
    const { data } = await api.enrollLeads({ params: { id: again }, body: { leadIds: [leadId] } });
    expect(data.results).toEqual([{ leadId, result: 'suppressed', executionId: null }]);
    expect(mailsTo(leadId)).toHaveLength(1);
  });

  it('ends only sequences with messages of the channel from which the lead unsubscribes', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api), { phone: '+491701234567' });
    const text = aNode('text', { type: 'sms', data: { text: 'Hello' } });
    const [byEmail, byText] = [
      await published(api, inARow(email('one'), wait('pause'), email('two'))),
      await published(api, inARow(wait('pause'), text)),
    ];
    const [mails, texts] = [await enrolled(api, byEmail, leadId), await enrolled(api, byText, leadId)];
    await Promise.all([inStatus(api, mails, 'waiting'), inStatus(api, texts, 'waiting')]);
    const [, token = ''] = /unsubscribe\/([^>]+)>/.exec(mailsTo(leadId)[0]?.headers['list-unsubscribe'] ?? '') ?? [];
    const anyone = service.as({ type: 'anonymous' } as never);
    const change = { params: { token }, body: { channels: { sms: false } } };
    expect((await anyone.updatePreferences(change)).status).toBe(200);
    expect(await inStatus(api, texts, 'exited')).toMatchObject({ endReason: 'unsubscribe' });
    expect((await executionOf(api, mails)).status).toBe('waiting');
    const [message] = await service.sqlWithin(api.caller, 'SELECT unsubscribed_at FROM message');
    expect(message).toEqual({ unsubscribed_at: null });
    const again = [
      await published(api, inARow(text)),
      await published(api, inARow(wait('pause'))),
      await published(api, inARow(wait('pause'), text, email('one'))),
    ];
    const results = [];
    for (const id of again) {
      const { data } = await api.enrollLeads({ params: { id }, body: { leadIds: [leadId] } });
      results.push(data.results[0].result);
    }
    expect(results).toEqual(['suppressed', 'enrolled', 'enrolled']);
  });
});

/** As if the messages to a lead had been sent an hour ago: a person takes longer than a scanner. */
const backdate = (api: Api, leadId: string) =>
  service.sqlWithin(api.caller, `UPDATE message SET sent_at = sent_at - interval '1 hour' WHERE lead_id = $1`, [
    leadId,
  ]);
