import { until } from '@tandem/testing';
import { aNode } from '../../../campaign.test-service.ts';
import { type Engine, ran, startEngine } from '../../../engine.test-service.ts';

let engine: Engine;
let { crm, mailbox, service } = {} as Engine;
beforeAll(async () => {
  engine = await startEngine();
  ({ crm, mailbox, service } = engine);
});
afterAll(() => engine?.close());

// Filters make characters that PostgreSQL cannot store: NUL, and the halves of a character beyond U+FFFF.
const nul = '{{ "%00" | url_decode }}';
const half = '{{ "😀" | split: "" | first }}';

it('an e-mail is sent and recorded without characters that cannot be stored', async () => {
  const api = service.as();
  const leadId = crm.addLead(api.caller.tenantId as number);
  const data = { subjectLine: `A${nul}B${half}C`, html: `<p>D${nul}E${half}F&#0;</p>`, text: `G${nul}H${half}I` };
  const { steps } = await ran(api, leadId, aNode('one', { type: 'email', data }));
  expect(steps[1]).toMatchObject({ outcome: 'done', input: { subjectLine: 'ABC' } });
  const { data: messages } = await api.listMessages({ query: { leadId } });
  expect(messages).toMatchObject([{ status: 'sent', uncertain: false, subject: 'ABC' }]);
  const [mail, ...others] = mailbox.to(`lead${leadId}@example.com`);
  expect([mail?.subject, others]).toEqual(['ABC', []]);
  expect(mail?.html).toContain('DEF');
  expect(mail?.text).toContain('GHI');
});

it('a character at the end of a shortened text is left out as a whole', async () => {
  const api = service.as();
  const leadId = crm.addLead(api.caller.tenantId as number);
  const data = { subjectLine: '{% for i in (1..299) %}b{% endfor %}😀' };
  await ran(api, leadId, aNode('one', { type: 'email', data }));
  const { data: messages } = await api.listMessages({ query: { leadId } });
  expect(messages).toMatchObject([{ status: 'sent', subject: 'b'.repeat(299) }]);
});

it('a notification is sent without characters that cannot be stored', async () => {
  const api = service.as();
  const leadId = crm.addLead(api.caller.tenantId as number, { assignedTo: '7' });
  const data = { message: `A${nul}B${half}C {% for i in (1..995) %}b{% endfor %}😀` };
  const { steps } = await ran(api, leadId, aNode('one', { type: 'notify', data }));
  const message = `ABC ${'b'.repeat(995)}`;
  expect(steps[1]).toMatchObject({ outcome: 'done', input: { message } });
  const event = await until('the notification is sent', () =>
    service.events.find(({ name, tenantId }) => name === 'workflow.notified' && tenantId === api.caller.tenantId),
  );
  expect(event.data).toMatchObject({ message });
});
