import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { firstMail, linkIn, replyTo, visit } from './recipient.ts';

// A campaign, from the prompt that generates its sequence to what each recipient does with its first message, through the
// gateway and with every message read from the mailbox.

const services = ['analytics', 'campaign', 'crm', 'identity'];
const inboundSecret = 'the secret of the mail server, 32+';

let fleet: TestFleet;
let tenant: TestTenant;
let api: TestTenant['api'];
const campaign = { id: '', workflowId: '' };
const leads = { opens: '', clicks: '', replies: '', leaves: '', stays: '' };
type Name = keyof typeof leads;
beforeAll(async () => {
  fleet = await startFleet({ services, env: { INBOUND_MAIL_SECRET: inboundSecret } });
  tenant = await aTenant(fleet);
  api = tenant.api;
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const addressOf = (name: string) => `${name}-${tenant.id}@example.com`.toLowerCase();
const mailsTo = (name: string) => fleet.mailbox.to(addressOf(name));

const mailTo = (name: Name) => firstMail(fleet, addressOf(name));

const executionOf = async (name: Name) => {
  const { data } = await api.listRecipients({ params: { id: campaign.id }, query: { leadId: leads[name] } });
  return data[0];
};
const messageOf = async (name: Name) => (await api.listMessages({ query: { leadId: leads[name] } })).data[0];

describe('a campaign', () => {
  it('gets a generated sequence, with a link added, and publishes it', async () => {
    const { data: sequence } = await tenant.owner.generateSequence({
      body: { prompt: 'Welcome new customers of our bakery', emailCount: '3' },
    });
    campaign.id = (await api.createCampaign({ body: { name: 'Bakery' } })).data.id;
    const { data } = await api.createSequence({ params: { id: campaign.id }, body: sequence });
    campaign.workflowId = data.id;
    // A link to click, beside the texts that were generated.
    const nodes = data.nodes.map((node) =>
      node.nodeId === 'email-1'
        ? {
            ...node,
            data: {
              ...node.data,
              html: '<p>Welcome, {{ lead.firstName }}! <a href="https://example.com/menu">Our menu</a></p>',
            },
          }
        : node,
    );
    await api.updateWorkflow({ params: { id: campaign.workflowId }, body: { nodes } });
    const check = await api.validateWorkflow({ params: { id: campaign.workflowId } });
    expect(check.data).toEqual({ valid: true, errors: [] });
    const published = await api.publishWorkflow({ params: { id: campaign.workflowId }, body: {} });
    expect(published.data).toMatchObject({ status: 'published', publishedVersion: 1 });
  });

  it('shows in a test, without sending anything, what a lead would get', async () => {
    const { data } = await api.testWorkflow({ params: { id: campaign.workflowId }, body: {} });
    expect(data.steps.filter(({ type }) => type === 'email').length).toBeGreaterThan(0);
    expect(fleet.mailbox.messages.filter(({ to }) => String(to).includes(tenant.id.toLowerCase()))).toEqual([]);
  });

  it('sends its first message to each lead of its audience once', async () => {
    for (const name of Object.keys(leads) as Name[]) {
      const body = { email: addressOf(name), firstName: 'Ada', lastName: 'Lovelace', tags: ['bakery'] };
      leads[name] = (await api.createLead({ body })).data.id;
    }
    await api.setAudience({
      params: { id: campaign.id },
      body: { include: [{ conditions: [{ field: 'tags', operator: 'contains', value: 'bakery' }] }] },
    });
    const preview = await api.previewAudience({ params: { id: campaign.id } });
    expect(preview.data).toMatchObject({ total: 5, reachable: 5 });
    expect((await api.activateCampaign({ params: { id: campaign.id } })).data.phase).toBe('running');
    await until('all have one message', () =>
      (Object.keys(leads) as Name[]).every((name) => mailsTo(name).length === 1),
    );
    const mail = mailTo('opens');
    expect(mail.html).toContain('Welcome, Ada!');
    await until('all are recorded', async () => {
      const { data } = await api.getCampaignStats({ params: { id: campaign.id } });
      return data.messages.sent === 5;
    });
    // A person needs longer than two seconds, and so does this test.
    const sentAt = new Date((await messageOf('stays'))?.sentAt as unknown as string).getTime();
    await until('a person could have read it', () => Date.now() - sentAt > 2_500);
  });
});

describe('what recipients do', () => {
  it('an open is recorded, for the message and in analytics', async () => {
    const reply = await visit(fleet, linkIn(mailTo('opens'), '/t/o/'));
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/gif']);
    expect((await messageOf('opens'))?.openedAt).not.toBeNull();
    await until('analytics has it', async () => {
      const { data } = await api.listRecordedEvents({ query: { leadId: leads.opens, type: 'email_open' } });
      return data.length === 1;
    });
  });

  it('a click leads to the page, and counts as an open too', async () => {
    const reply = await visit(fleet, linkIn(mailTo('clicks'), '/t/c/'));
    expect([reply.status, reply.headers.get('location')]).toEqual([302, 'https://example.com/menu']);
    expect(await messageOf('clicks')).toMatchObject({ openedAt: expect.anything(), clickedAt: expect.anything() });
  });

  it('a reply ends the sequence, and an out-of-office note does not', async () => {
    await arrives('stays', ['Auto-Submitted: auto-replied']);
    await arrives('replies');
    await until('the sequence has ended', async () => (await executionOf('replies'))?.status === 'exited');
    expect(await executionOf('replies')).toMatchObject({ endReason: 'reply', replied: 1 });
    expect(await executionOf('stays')).toMatchObject({ status: 'waiting', replied: 0 });
  });

  it('a scanner that opens the unsubscribe link unsubscribes nobody; the button of the mail program does', async () => {
    const mail = mailTo('leaves');
    const target = /<(https?:[^>]+)>/.exec(String(mail.headers['list-unsubscribe']))?.[1] as string;
    expect((await visit(fleet, target)).status).toBe(200);
    expect((await executionOf('leaves'))?.status).toBe('waiting');
    const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };
    expect((await visit(fleet, target, oneClick)).status).toBe(200);
    await until('the sequence has ended', async () => (await executionOf('leaves'))?.endReason === 'unsubscribe');
    const check = await api.checkSuppressions({ body: { channel: 'email', values: [addressOf('leaves')] } });
    expect(check.data.results[0]).toMatchObject({ reason: 'unsubscribe' });
    const lead = await until('the lead shows it', async () => {
      const { data } = await api.getLead({ params: { id: leads.leaves } });
      return data.consent.email && data;
    });
    expect(lead.consent.email).toMatchObject({ state: 'denied', source: 'Unsubscribe link' });
  });

  it('the figures of the campaign show all of it', async () => {
    const { data } = await api.getCampaignStats({ params: { id: campaign.id } });
    expect(data).toMatchObject({
      recipients: 5,
      messages: { sent: 5, opened: 2, clicked: 1, replied: 1, unsubscribed: 1, skipped: 0, uncertain: 0 },
      links: [{ url: 'https://example.com/menu', clicks: 1, people: 1, clicksByMachine: 0 }],
    });
    await until('the timeline of the lead shows the reply', async () => {
      const { data: entries } = await api.getLeadTimeline({ params: { id: leads.replies } });
      return JSON.stringify(entries).includes('email_repl');
    });
  });
});

/** A message of a recipient arrives at the mail server of the platform. */
async function arrives(name: Name, headers: string[] = []) {
  const mail = mailTo(name);
  const { status } = await replyTo(fleet, { from: addressOf(name), mail, secret: inboundSecret, headers });
  expect(status).toBe(200);
}
