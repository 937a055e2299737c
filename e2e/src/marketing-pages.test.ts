import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import type { Browser, Page } from 'playwright-core';
import { openPage, overflowOf, picture, screens, startBrowser, violationsOf } from './screen.ts';

// The pages and mails of marketing as people see them, in a real browser on a desktop and on a phone: a landing page with
// its form, the mail that the form triggers, and the pages to which its links lead.

const services = ['analytics', 'campaign', 'crm', 'identity'];
const aPersonNeedsMs = 2_500;

let fleet: TestFleet;
let browser: Browser;
let tenant: TestTenant;
let address: string;
let topicName: string;
beforeAll(async () => {
  [fleet, browser] = await Promise.all([startFleet({ services }), startBrowser()]);
  tenant = await aTenant(fleet);
  topicName = (await tenant.api.createTopic({ body: { name: 'Recipes', description: 'One each week' } })).data.name;
  address = await aLandingPage();
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await fleet?.stop();
}, 60_000);

/** The address of the fleet instead of the one in texts. */
const local = (url: string) => url.replace(/^https?:\/\/[^/]+/, fleet.baseUrl);

const fields = [
  { key: 'email', label: 'E-mail address', type: 'email' as const, required: true, mapsTo: 'email' },
  { key: 'firstName', label: 'First name', type: 'text' as const, mapsTo: 'firstName', ask: 'when_unknown' as const },
  { key: 'size', label: 'Number of people', type: 'number' as const },
  {
    key: 'bread',
    label: 'Favourite bread',
    type: 'select' as const,
    options: ['Rye', 'Sourdough'],
    ask: 'when_unknown' as const,
  },
  { key: 'bakes', label: 'Do you bake at home?', type: 'text' as const, ask: 'when_unknown' as const },
  { key: 'day', label: 'Day of your visit', type: 'date' as const },
  { key: 'message', label: 'Message', type: 'textarea' as const },
  { key: 'terms', label: 'I accept the terms', type: 'checkbox' as const, required: true },
];
const consentText = 'I would like to receive news by e-mail. I can withdraw this at any time.';

/** A generated page with a form, whose submissions start a workflow with a mail. */
async function aLandingPage(): Promise<string> {
  const { api, owner } = tenant;
  const form = await api.createForm({ body: { name: 'Baking course', fields, consentText, askAtMost: 2 } });
  await api.publishForm({ params: { id: form.data.id } });
  const generated = await owner.generateLandingPage({
    body: { prompt: 'A baking course for beginners', goal: 'register', industry: 'food', tone: 'friendly' },
  });
  const page = await api.createLandingPage({ body: { ...generated.data, formId: form.data.id } });
  await api.publishLandingPage({ params: { id: page.data.id } });
  await publishWorkflow(form.data.id, page.data.url);
  return local(page.data.url);
}

async function publishWorkflow(formId: string, pageUrl: string): Promise<void> {
  const { api } = tenant;
  const template = await api.createTemplate({
    body: { name: 'Welcome', channel: 'email', subject: 'Welcome, {{ lead.firstName }}', blocks: blocks(pageUrl) },
  });
  await api.activateTemplate({ params: { id: template.data.id } });
  const position = { x: 0, y: 0 };
  const workflow = await api.createWorkflow({
    body: {
      name: 'After the form',
      nodes: [
        { nodeId: 'start', type: 'trigger', position, data: { triggerType: 'form_submission', formId } },
        { nodeId: 'mail', type: 'email', position, data: { templateId: template.data.id } },
      ],
      edges: [{ edgeId: 'edge', source: 'start', target: 'mail' }],
    },
  });
  await api.publishWorkflow({ params: { id: workflow.data.id }, body: {} });
}

/** Every kind of block but images, which would be loaded from elsewhere. */
const blocks = (pageUrl: string) => [
  { type: 'heading' as const, text: 'Welcome to our bakery' },
  {
    type: 'text' as const,
    text: 'Hello {{ lead.firstName }},\n\nthank you for your **interest**. See [our menu](https://example.com/menu).',
  },
  { type: 'button' as const, label: 'See the course', url: pageUrl, align: 'center' as const },
  { type: 'spacer' as const, height: 24 },
  { type: 'divider' as const },
  {
    type: 'columns' as const,
    columns: [
      [
        { type: 'heading' as const, text: 'Rye', level: 2 },
        { type: 'text' as const, text: 'Dark and strong.' },
      ],
      [
        { type: 'heading' as const, text: 'Sourdough', level: 2 },
        { type: 'text' as const, text: 'Light and sour.' },
      ],
    ],
  },
  {
    type: 'footer' as const,
    text: '[Choose your messages]({{ preferencesUrl }}) or [unsubscribe]({{ unsubscribeUrl }})',
  },
];

describe.each(screens)('on a $screen', ({ screen, viewport }) => {
  let page: Page;
  let problems: string[];
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ page, problems, close } = await openPage(browser, viewport));
  });
  afterAll(() => close?.());
  afterEach(() => {
    expect(problems.splice(0)).toEqual([]);
  });

  const emailAddress = () => `visitor-${screen}-${tenant.id}@example.com`.toLowerCase();
  const visitor = async () => (await tenant.api.listLeads({ query: { search: emailAddress() } })).data[0];
  const mailHtml = () => fleet.mailbox.to(emailAddress())[0]?.html ?? '';
  const linkTo = (path: string) =>
    local(new RegExp(`href="([^"]*${path}[^"]*)"`).exec(mailHtml())?.[1]?.replaceAll('&amp;', '&') ?? '');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const reads = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();

  /** The page looks as it should: it fits the screen, and everybody can use it. */
  async function looksRight(name: string) {
    await picture(page, `${name}-${screen}`);
    expect([name, await overflowOf(page), await violationsOf(page)]).toEqual([name, 0, []]);
  }

  it('a landing page shows its heading and form, and what is missing in it', async () => {
    await page.goto(address);
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    await looksRight('landing');
    await press('Send');
    await reads(/check/i);
    await looksRight('landing-errors');
    expect(await page.getByLabel('E-mail address').getAttribute('aria-invalid')).toBe('true');
    // The browser reports the refused submission.
    expect(problems.splice(0)).toEqual([expect.stringContaining('422')]);
  });

  it('the form thanks, makes a lead, and starts the workflow', async () => {
    const openedAt = Date.now();
    await page.goto(`${address}?utm_source=poster`);
    await page.getByLabel('E-mail address').fill(emailAddress());
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('Number of people').fill('2');
    await page.getByLabel('Favourite bread').selectOption('Rye');
    expect(await page.getByLabel('Do you bake at home?').count()).toBe(0);
    await page.getByLabel('Day of your visit').fill('2030-05-17');
    await page.getByLabel('Message').fill('Is there a course in May?');
    await page.getByLabel('I accept the terms').check();
    await page.getByLabel(consentText).check();
    await until('a person could have filled it in', () => Date.now() - openedAt > aPersonNeedsMs);
    await press('Send');
    await reads(/^Thank you/);
    await looksRight('landing-thanks');
    await until('the lead exists', visitor);
    expect(await visitor()).toMatchObject({ email: emailAddress(), firstName: 'Grace' });
    await until('the mail has come', () => mailHtml() !== '');
  });

  it('the mail fits the screen', async () => {
    // The page before has a policy for its content, which would apply to the mail too.
    await page.goto('about:blank');
    await page.setContent(mailHtml().replaceAll(/https?:\/\/[^/"]+(?=\/t\/o\/)/g, fleet.baseUrl), {
      waitUntil: 'load',
    });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Welcome to our bakery');
    expect(await page.getByText('Hello Grace').isVisible()).toBe(true);
    await looksRight('mail');
  });

  it('the landing page asks whoever comes from the mail only what is not known', async () => {
    // Clicks within two seconds are those of scanners.
    const [message] = (await tenant.api.listMessages({ query: { leadId: (await visitor())?.id as string } })).data;
    const sentAt = new Date(message?.sentAt as unknown as string).getTime();
    await until('a person could have read the mail', () => Date.now() - sentAt > 2_500);
    const button = /href="([^"]*)"[^>]*>\s*See the course/.exec(mailHtml())?.[1] ?? '';
    const click = await fetch(local(button), { redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0' } });
    await page.goto(local(click.headers.get('location') ?? ''));
    expect(await page.getByLabel('Do you bake at home?').isVisible()).toBe(true);
    for (const known of ['First name', 'Favourite bread']) expect(await page.getByLabel(known).count()).toBe(0);
    await looksRight('landing-known');
  });

  it('the page of preferences keeps what a person chooses', async () => {
    await page.goto(linkTo('/preferences/'));
    await looksRight('preferences');
    await page.emulateMedia({ colorScheme: 'dark' });
    await looksRight('preferences-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByLabel(topicName).uncheck();
    await page.getByLabel('Pause').selectOption({ label: 'For a month' });
    await press('Save');
    await reads('Your choice is saved.');
    await looksRight('preferences-saved');
    await page.reload();
    expect(await page.getByLabel(topicName).isChecked()).toBe(false);
    expect(await page.getByLabel('Messages by e-mail').isChecked()).toBe(true);
    expect(await page.getByLabel('Pause').locator('option:checked').textContent()).toMatch(/^Until /);
    await looksRight('preferences-again');
  });

  it('the page to unsubscribe does so by its button, and says so later', async () => {
    await page.goto(linkTo('/unsubscribe/'));
    await looksRight('unsubscribe');
    const check = () => tenant.api.checkSuppressions({ body: { channel: 'email', values: [emailAddress()] } });
    expect((await check()).data.results[0]?.reason).not.toBe('unsubscribe');
    await press('Unsubscribe');
    await reads('You are unsubscribed.');
    await looksRight('unsubscribe-done');
    expect((await check()).data.results[0]).toMatchObject({ reason: 'unsubscribe' });
    await page.reload();
    await page.getByText(/is unsubscribed\.$/).waitFor();
    await looksRight('unsubscribe-already');
    await page.getByRole('link', { name: 'Choose which messages you get' }).waitFor();
  });
});
