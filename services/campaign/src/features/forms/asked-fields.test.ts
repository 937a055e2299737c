import type { campaign } from '@tandem/campaign-contract';
import { createSeal } from '@tandem/sealed';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { aForm, aPage, asVisitor, publicIdOf, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { trackingLinks } from '../tracking/tracking-links.ts';
import { createRenderTokens } from './render-token.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let crm: CrmPeer;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  [identity, crm] = await Promise.all([identityPeer(), crmPeer()]);
  service = await startCampaign(undefined, identity.url, { CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([crm?.close(), identity?.close()]);
});

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

const fields = [
  { key: 'email', type: 'email', required: true, mapsTo: 'email' },
  { key: 'firstName', type: 'text', mapsTo: 'firstName', ask: 'when_unknown' },
  { key: 'company', type: 'text', required: true, mapsTo: 'customFields.company', ask: 'when_unknown' },
  { key: 'seats', type: 'number', required: true, ask: 'when_unknown' },
  { key: 'terms', type: 'checkbox', required: true },
];
const allKeys = fields.map(({ key }) => key);

/** A published page with a form whose fields depend on the visitor. */
async function aPageWithForm(api: Api, form: Fields = {}) {
  const { data } = await api.createForm({ body: aForm({ fields, ...form }) });
  await api.publishForm({ params: { id: data.id } });
  const { data: page } = await api.createLandingPage({ body: aPage({ content: '<h1>Hi</h1>', formId: data.id }) });
  await api.publishLandingPage({ params: { id: page.id } });
  const [, tenant, slug] = /\/p\/([^/]+)\/(.+)$/.exec(page.url) as unknown as [string, string, string];
  return { id: data.id as string, publicId: publicIdOf(data), url: page.url as string, params: { tenant, slug } };
}
type Page = Awaited<ReturnType<typeof aPageWithForm>>;

const sealed = () => createSeal(process.env['ENCRYPTION_KEY'] as string);

/** The token of an address to which a tracked link of a message to the lead led. */
async function tokenFor(api: Api, leadId: string, { url }: Page): Promise<string> {
  const [row] = await service.sqlWithin(
    api.caller,
    `INSERT INTO message (lead_id, channel, status, sent_at) VALUES ($1, 'email', 'sent', now()) RETURNING id`,
    [leadId],
  );
  const { tenantId, environment } = api.caller;
  const key = { tenantId: tenantId as number, environment, messageId: Number(row?.['id']) };
  const links = trackingLinks(sealed(), 'https://api.example.com');
  return new URL(links.visitUrl(key, { url, automated: false })).searchParams.get('visit') as string;
}

const visit = (page: Page, token?: string) =>
  asVisitor(service, 'getPublicPage', { params: page.params, ...(token !== undefined && { query: { visit: token } }) });
const keysOf = async (page: Page, token?: string) =>
  (await visit(page, token)).data.form.fields.map(({ key }: { key: string }) => key);

const tokens = createRenderTokens(sealed());
/** The token of a page as it is a minute later, because software answers at once. */
function aged(renderToken: string): string {
  const shown = tokens.read(renderToken);
  if (!shown || shown === 'expired') throw new Error('The page has no token');
  return tokens.issue({ ...shown, at: shown.at - 60_000 }, new Date(Date.now() + 60_000));
}
const renderTokenOf = async (page: Page, token?: string) => aged((await visit(page, token)).data.form.renderToken);

const submit = (page: Page, values: Fields, renderToken?: string) =>
  asVisitor(service, 'submitForm', {
    params: { id: page.publicId },
    body: { fields: { terms: true, ...values }, ...(renderToken !== undefined && { renderToken }) },
  });
const processed = (api: Api, { id }: Page, count: number) =>
  until('the submissions are processed', async () => {
    const { data } = await api.listFormSubmissions({ params: { id }, query: { status: 'processed' } });
    return data.length === count;
  });
const aLead = (api: Api, values: Fields = {}) => {
  const id = crm.addLead(api.caller.tenantId as number, { firstName: 'Ada', lastName: 'Lovelace', ...values });
  return { id, email: `lead${id}@example.com` };
};
const errorsOf = ({ body }: Awaited<ReturnType<typeof submit>>) => body.errors?.map(({ field }) => field);

describe('a page shows a visitor', () => {
  it('every question while nothing is known, or the first ones up to the limit', async () => {
    const api = service.as();
    expect(await keysOf(await aPageWithForm(api))).toEqual(allKeys);
    expect(await keysOf(await aPageWithForm(api, { askAtMost: 1 }))).toEqual(['email', 'firstName', 'terms']);
  });

  it('no question that the lead of the link has answered, in JSON and HTML, and none of the answers', async () => {
    const api = service.as();
    const page = await aPageWithForm(api);
    const lead = aLead(api, { firstName: 'Augusta', customFields: { company: 'Engines Ltd' } });
    const token = await tokenFor(api, lead.id, page);
    expect(await keysOf(page, token)).toEqual(['email', 'seats', 'terms']);
    const { text } = await asVisitor(service, 'showLandingPage', { params: page.params, query: { visit: token } });
    expect([...text.matchAll(/data-type="[a-z]+"/g)]).toHaveLength(3);
    const json = JSON.stringify((await visit(page, token)).body);
    for (const shown of [text, json]) expect(shown).not.toMatch(/Augusta|Engines|company|when_unknown/);
  });

  it('the next questions after each submission', async () => {
    const api = service.as();
    const page = await aPageWithForm(api, { askAtMost: 1 });
    const lead = aLead(api);
    const asked = async () => keysOf(page, await tokenFor(api, lead.id, page));
    expect(await asked()).toEqual(['email', 'company', 'terms']);
    const company = await renderTokenOf(page, await tokenFor(api, lead.id, page));
    expect((await submit(page, { email: lead.email, company: 'Engines Ltd' }, company)).status).toBe(201);
    await processed(api, page, 1);
    expect(await asked()).toEqual(['email', 'seats', 'terms']);
    const seats = await renderTokenOf(page, await tokenFor(api, lead.id, page));
    expect((await submit(page, { email: lead.email, seats: 4 }, seats)).status).toBe(201);
    await processed(api, page, 2);
    expect(await asked()).toEqual(['email', 'terms']);
  });

  it('the question for a name that was made from the address', async () => {
    const api = service.as();
    const page = await aPageWithForm(api);
    const id = crm.addLead(api.caller.tenantId as number, {
      email: 'grace@example.com',
      firstName: 'grace',
      lastName: '-',
    });
    expect(await keysOf(page, await tokenFor(api, id, page))).toContain('firstName');
  });

  it('every question if spam has answered them for the lead', async () => {
    const api = service.as();
    const page = await aPageWithForm(api);
    const lead = aLead(api);
    const body = { fields: { email: lead.email, company: 'Spam', seats: 1, terms: true }, honeypot: 'x' };
    await asVisitor(service, 'submitForm', { params: { id: page.publicId }, body });
    expect(await keysOf(page, await tokenFor(api, lead.id, page))).toContain('seats');
  });
});

describe('nothing is known about', () => {
  const known = { customFields: { company: 'Engines Ltd' } };

  it('a lead of another tenant, or by a token that nobody issued', async () => {
    const [api, theirs] = [service.as(), service.as()];
    const [page, theirPage] = [await aPageWithForm(api), await aPageWithForm(theirs)];
    const token = await tokenFor(theirs, aLead(theirs, known).id, theirPage);
    expect(await keysOf(theirPage, token)).not.toContain('company');
    expect(await keysOf(page, token)).toEqual(allKeys);
    expect(await keysOf(page, 'forged')).toEqual(allKeys);
  });

  it('a lead that is erased', async () => {
    const api = service.as();
    const page = await aPageWithForm(api);
    const lead = aLead(api, known);
    const token = await tokenFor(api, lead.id, page);
    crm.removeLead(lead.id);
    expect(await keysOf(page, token)).toEqual(allKeys);
  });

  it('anybody while crm is down', async () => {
    const api = service.as();
    const page = await aPageWithForm(api);
    const token = await tokenFor(api, aLead(api, known).id, page);
    crm.isDown = true;
    try {
      expect(await keysOf(page, token)).toEqual(allKeys);
    } finally {
      crm.isDown = false;
    }
    expect(await keysOf(page, token)).not.toContain('company');
  });
});

describe('a submission', () => {
  it('may lack required values that its page did not ask for, and keeps those of the lead', async () => {
    const api = service.as();
    const page = await aPageWithForm(api);
    const lead = aLead(api, { customFields: { company: 'Engines Ltd' } });
    const renderToken = await renderTokenOf(page, await tokenFor(api, lead.id, page));
    expect(errorsOf(await submit(page, { email: lead.email }, renderToken))).toEqual(['fields.seats']);
    expect((await submit(page, { email: lead.email, seats: 4 }, renderToken)).status).toBe(201);
    await processed(api, page, 1);
    const upserts = crm.calls.filter(({ body }) => body['email'] === lead.email);
    expect(upserts.map(({ body }) => body)).toEqual([{ email: lead.email, customFields: {} }]);
  });

  it('needs every required value without a token, and with one of another form or of an unknown visitor', async () => {
    const api = service.as();
    const [page, other] = [await aPageWithForm(api), await aPageWithForm(api)];
    const lead = aLead(api, { customFields: { company: 'Engines Ltd' } });
    const ofOther = await renderTokenOf(other, await tokenFor(api, lead.id, other));
    for (const token of [undefined, 'forged', ofOther, await renderTokenOf(page)])
      expect(errorsOf(await submit(page, { email: lead.email }, token))).toEqual(['fields.company', 'fields.seats']);
    expect(errorsOf(await submit(page, { terms: false }, ofOther))).toContain('fields.terms');
  });

  it('of a page that was open for days is accepted', async () => {
    const api = service.as();
    const page = await aPageWithForm(api);
    const lead = aLead(api, { customFields: { company: 'Engines Ltd' } });
    const { renderToken } = (await visit(page, await tokenFor(api, lead.id, page))).data.form;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 20 * 86_400_000);
    try {
      expect((await submit(page, { email: lead.email, seats: 4 }, renderToken)).status).toBe(201);
    } finally {
      clock.mockRestore();
    }
  });

  it('has a token with all fields of the largest form', async () => {
    const api = service.as();
    const many = Array.from({ length: 49 }, (_, at) => ({
      key: `field${at}_${'x'.repeat(40)}`,
      type: 'text',
      required: true,
      ask: 'when_unknown',
    }));
    const page = await aPageWithForm(api, { fields: [fields[0], ...many], askAtMost: 48 });
    const values = Object.fromEntries(many.slice(0, 48).map(({ key }) => [key, 'a']));
    expect((await submit(page, { email: 'a@example.com', ...values }, await renderTokenOf(page))).status).toBe(201);
  });
});
