import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { aForm, aNode, aPage, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type NameServer, nameServer } from '../../dns.test-service.ts';
import { domainsOf } from '../page-domains/page-domains.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let crm: CrmPeer;
let mailbox: Mailbox;
let names: NameServer;
let service: TestService<typeof campaign>;
let domains: ReturnType<typeof domainsOf>;
beforeAll(async () => {
  [identity, crm, mailbox, names] = await Promise.all([identityPeer(), crmPeer(), startMailbox(), nameServer()]);
  const peers = { CRM_URL: crm.url, SMTP_URL: mailbox.smtpUrl, DNS_SERVERS: [names.address] };
  service = await startCampaign(undefined, identity.url, peers);
  domains = domainsOf(service, names);
});
afterAll(async () => {
  await service?.close();
  await Promise.all([mailbox?.close(), crm?.close(), identity?.close(), names?.close()]);
});

type Api = ReturnType<typeof service.as>;
type Row = Record<string, unknown>;

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** A published page of a campaign, with a form. */
async function aPublishedPage(api: Api) {
  const { data: spring } = await api.createCampaign({ body: { name: 'Spring' } });
  const { data: form } = await api.createForm({ body: aForm() });
  await api.publishForm({ params: { id: form.id } });
  const body = aPage({ content: '<h1>Spring</h1>', campaignId: spring.id, formId: form.id });
  const { data: page } = await api.createLandingPage({ body });
  expect((await api.publishLandingPage({ params: { id: page.id } })).status).toBe(200);
  return { url: page.url as string, pageId: page.id as string, form, campaignId: spring.id as string };
}

/** Opens the address of a page as a visitor. */
function visit(
  url: string,
  userAgent: string | undefined = browser,
  operation: 'showLandingPage' | 'getPublicPage' = 'showLandingPage',
) {
  const { pathname, searchParams } = new URL(url);
  const [, , tenant, slug] = pathname.split('/');
  return asAnybody(operation, { params: { tenant, slug }, query: Object.fromEntries(searchParams) }, userAgent);
}

function asAnybody(operation: keyof typeof campaign, request: Row, userAgent: string | undefined) {
  const { tenantId: _, ...caller } = service.as({ type: 'anonymous', permissions: [], userAgent } as never).caller;
  return service.send(service.operations[operation], request as never, caller);
}

const visitsOf = (api: Api) =>
  service.sqlWithin(
    api.caller,
    `SELECT lead_id::int AS lead, message_id::int AS message, campaign_id::text AS campaign, automated, url
      FROM engagement WHERE type = 'page_visit' ORDER BY id`,
  ) as Promise<Row[]>;

/** Sends a message with a link to a page, and returns the address to which a click leads. */
async function clicked(api: Api, url: string, { agoMs = 3_600_000, wait = false } = {}) {
  const leadId = crm.addLead(api.caller.tenantId as number);
  const nodes = [
    aNode('start', { type: 'trigger', data: { triggerType: 'manual' } }),
    aNode('one', { type: 'email', data: { subjectLine: 'Hello', html: `<a href="${url}">Offer</a>` } }),
    aNode('visit', { type: 'wait_for_event', data: { event: 'page_visit' } }),
    aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } }),
  ].slice(0, wait ? 4 : 2);
  const edges = nodes.slice(1).map((node, index) => ({
    edgeId: `e${index}`,
    source: nodes[index]?.nodeId as string,
    target: node.nodeId,
  }));
  const { data: workflow } = await api.createWorkflow({ body: { name: 'Test', nodes, edges } });
  await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
  const { data } = await api.enrollLeads({ params: { id: workflow.id }, body: { leadIds: [leadId] } });
  const mail = await until('the mail arrives', () => mailbox.to(`lead${leadId}@example.com`)[0]);
  await until(
    'it is recorded',
    async () => (await api.listMessages({ query: { leadId, status: 'sent' } })).data.length,
  );
  await service.sqlWithin(
    api.caller,
    `UPDATE message SET sent_at = now() - make_interval(secs => $1::float) WHERE lead_id = $2`,
    [agoMs / 1_000, leadId],
  );
  const token = /\/v1\/public\/t\/c\/([^"]+)"/.exec(mail.html ?? '')?.[1];
  const { headers } = await asAnybody('trackClick', { params: { token } }, browser);
  return { leadId, executionId: data.results[0].executionId as string, location: headers['location'] as string };
}

const eventsOf = (api: Api) =>
  service.events.filter(({ name, tenantId }) => name === 'landing_page.visited' && tenantId === api.caller.tenantId);

describe('a visit of a landing page', () => {
  it('is recorded for the campaign of the page and told to analytics, without a lead', async () => {
    const api = service.as();
    const { url, pageId, campaignId } = await aPublishedPage(api);
    expect((await visit(url)).status).toBe(200);
    expect((await visit(url, browser, 'getPublicPage')).status).toBe(200);
    const one = { lead: null, message: null, campaign: campaignId, automated: false, url };
    expect(await visitsOf(api)).toEqual([one, one]);
    const [event] = await until('it is told', () => eventsOf(api).length === 2 && eventsOf(api));
    expect(event).toMatchObject({
      data: { leadId: null, message: null, automated: false, url, insertId: expect.stringMatching(/^campaign-\d+$/) },
      record: { id: pageId },
    });
  });

  it('by software is automated', async () => {
    const api = service.as();
    const { url } = await aPublishedPage(api);
    await visit(url, 'Googlebot/2.1 (+http://www.google.com/bot.html)');
    await visit(url, '');
    expect((await visitsOf(api)).map(({ automated }) => automated)).toEqual([true, true]);
  });

  it('by a link of a message counts for its lead, whose workflow continues', async () => {
    const api = service.as();
    const { url, campaignId } = await aPublishedPage(api);
    const { location, leadId, executionId } = await clicked(api, `${url}?utm_source=mail`, { wait: true });
    expect(location).toMatch(/\?utm_source=mail&visit=[\w.-]+$/);
    const execution = async () => (await api.getWorkflowExecution({ params: { id: executionId } })).data;
    expect((await execution()).nodeId).toBe('visit');
    await visit(location);
    const [message] = (await api.listMessages({ query: { leadId } })).data;
    expect(await visitsOf(api)).toEqual([
      { lead: Number(leadId), message: Number(message.id), campaign: campaignId, automated: false, url },
    ]);
    const event = await until('it is told', () => eventsOf(api)[0]);
    expect(event.data).toMatchObject({ leadId, message: expect.any(String), automated: false });
    await until('the execution continues', async () => (await execution()).nodeId === 'pause');
  });

  it('by a scanner that follows the link at once is automated', async () => {
    const api = service.as();
    const { url } = await aPublishedPage(api);
    const { location, leadId, executionId } = await clicked(api, url, { agoMs: 0, wait: true });
    await visit(location);
    expect(await visitsOf(api)).toMatchObject([{ lead: Number(leadId), automated: true }]);
    expect((await api.getWorkflowExecution({ params: { id: executionId } })).data.nodeId).toBe('visit');
  });

  it('has no lead with a token of another tenant, or one that nobody issued', async () => {
    const [api, theirs] = [service.as(), service.as()];
    const { url } = await aPublishedPage(api);
    const { location } = await clicked(theirs, (await aPublishedPage(theirs)).url);
    await visit(url + new URL(location).search);
    expect((await visit(`${url}?visit=forged`)).status).toBe(200);
    expect((await visitsOf(api)).map(({ lead }) => lead)).toEqual([null, null]);
    expect(await visitsOf(theirs)).toEqual([]);
  });

  it('by a link of a message to a verified domain of the tenant counts for its lead', async () => {
    const [api, theirs] = [service.as(), service.as()];
    const [{ url }, foreign] = [await aPublishedPage(api), await domains.verified(theirs)];
    const { host } = await domains.verified(api);
    const path = `/${url.split('/').at(-1)}`;
    const { location, leadId } = await clicked(api, `https://${host}${path}`);
    const query = Object.fromEntries(new URL(location).searchParams);
    expect((await domains.visit(host, path, { query, userAgent: browser })).status).toBe(200);
    expect(await visitsOf(api)).toMatchObject([{ lead: Number(leadId), automated: false, url }]);
    expect((await clicked(api, `https://${foreign.host}${path}`)).location).toBe(`https://${foreign.host}${path}`);
  });

  it('leaves links to other sites without a token', async () => {
    const api = service.as();
    const { location } = await clicked(api, 'https://example.com/p/x');
    expect(location).toBe('https://example.com/p/x');
  });
});

it('records a submitted form of the page as engagement of its own lead, with the page and its campaign', async () => {
  const api = service.as();
  const { url, pageId, form, campaignId } = await aPublishedPage(api);
  const { data } = await visit(url, browser, 'getPublicPage');
  const email = `page-${pageId}-${Date.now()}@example.com`;
  const body = { fields: { email, firstName: 'Ada' }, renderToken: data.form.renderToken };
  const id = data.form.submitUrl.split('/').at(-2);
  expect((await asAnybody('submitForm', { params: { id }, body }, browser)).status).toBe(201);
  const [submission] = await until('it is stored', async () => {
    const { data: all } = await api.listFormSubmissions({ params: { id: form.id } });
    return all.length === 1 && all;
  });
  expect(submission.landingPageId).toBe(pageId);
  await api.acceptFormSubmission({ params: { id: form.id, submissionId: submission.id } });
  const [row] = await until('it is processed', async () => {
    const rows = await service.sqlWithin(
      api.caller,
      `SELECT lead_id::text AS lead, campaign_id::text AS campaign, automated, url FROM engagement WHERE type = 'form_submission'`,
    );
    return rows.length > 0 && (rows as Row[]);
  });
  const [{ leadId }] = (await api.listFormSubmissions({ params: { id: form.id } })).data;
  expect(row).toEqual({ lead: leadId, campaign: campaignId, automated: false, url });
});
