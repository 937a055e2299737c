import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import type { Browser, Page } from 'playwright-core';
import { aPdf } from './a-pdf.ts';
import { openPage, overflowOf, picture, screens, startBrowser, violationsOf } from './screen.ts';
import { upload } from './upload.ts';

// The page on which people sign, in a real browser on a desktop and on a phone: two people sign one after the other, one by
// typing and one by drawing, and get the signed document; a third one declines; and one signs without JavaScript.

let fleet: TestFleet;
let browser: Browser;
let tenant: TestTenant;
beforeAll(async () => {
  [fleet, browser] = await Promise.all([startFleet({ services: ['files', 'identity'] }), startBrowser()]);
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await fleet?.stop();
}, 60_000);

const local = (url: string) => url.replace(/^https?:\/\/[^/]+/, fleet.baseUrl);

const uploadPdf = () => upload(fleet, tenant, { content: aPdf(), filename: 'contract.pdf' });

const place = { page: 1, x: 0.12, width: 0.35, height: 0.07 };

describe.each(screens)('on a $screen', ({ screen, viewport }) => {
  let page: Page;
  let problems: string[];
  let close: () => Promise<void>;
  let requestId: string;
  beforeAll(async () => {
    ({ page, problems, close } = await openPage(browser, viewport));
    const { data } = await tenant.api.createSignatureRequest({
      params: { id: await uploadPdf() },
      body: {
        subject: 'Contract 2026',
        message: 'Please sign by Friday.\nThank you!',
        signingOrder: 'sequential',
        signers: [
          { name: 'Ada Lovelace', email: emailOf('ada'), order: 1 },
          { name: 'Žofia Müller', email: emailOf('zofia'), order: 2 },
        ],
        fields: [
          { ...place, y: 0.3, type: 'signature', signerIndex: 0 },
          { ...place, y: 0.4, type: 'text', label: 'Place', signerIndex: 0 },
          { ...place, y: 0.5, type: 'checkbox', label: 'I have read the terms', signerIndex: 0 },
          { ...place, y: 0.6, type: 'signature', signerIndex: 1 },
        ],
      },
    });
    requestId = data.id;
  });
  afterAll(() => close?.());
  afterEach(() => {
    expect(problems.splice(0)).toEqual([]);
  });

  const emailOf = (name: string) => `${name}-${screen}@example.com`;
  const mailTo = (name: string, subject: RegExp) =>
    fleet.mailbox.to(emailOf(name)).find((message) => subject.test(message.subject));
  const linkTo = async (name: string, subject: RegExp) => {
    const mail = await until(`the mail to ${name} has come`, () => mailTo(name, subject));
    return local(/https?:\/\/[^\s]*\/sign\/[^\s]+/.exec(mail.text)?.[0] ?? '');
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const get = async (id = requestId) => (await tenant.api.getSignatureRequest({ params: { requestId: id } })).data;

  async function looksRight(name: string) {
    await picture(page, `${name}-${screen}`);
    expect([name, await overflowOf(page), await violationsOf(page)]).toEqual([name, 0, []]);
  }

  it('the first person fills in the fields and signs by typing', async () => {
    const link = await linkTo('ada', /^Please sign/);
    expect(mailTo('zofia', /./)).toBeUndefined();
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Contract 2026' }).waitFor();
    await looksRight('sign');
    await page.emulateMedia({ colorScheme: 'dark' });
    await looksRight('sign-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    const opened = await page.getByRole('link', { name: 'Open the document' }).getAttribute('href');
    const document = await fetch(local(opened ?? ''));
    expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(await document.text()).toBe(aPdf());
    await page.getByLabel('Place').fill('Łódź');
    await page.getByLabel('I have read the terms').check();
    await page.getByLabel('Your full name').fill('Ada King');
    await page.getByLabel('I agree to sign').check();
    await press('Sign the document');
    await page.getByRole('heading', { name: 'Thank you, you have signed' }).waitFor();
    await looksRight('signed');
    expect((await get()).signers).toMatchObject([
      { status: 'signed' },
      { status: expect.stringMatching(/pending|sent/) },
    ]);
  });

  it('then the second one signs by drawing, and both get the signed document', async () => {
    await page.goto(await linkTo('zofia', /^Please sign/));
    await page.getByLabel('Draw my signature').check();
    await page.getByLabel('I agree to sign').check();
    await press('Sign the document');
    await page.getByRole('alert').filter({ hasText: 'draw your signature' }).waitFor();
    await looksRight('draw-missing');
    const canvas = page.getByRole('img', { name: /^Draw your signature/ });
    const box = await canvas.boundingBox();
    if (!box) throw new Error('The canvas is not shown');
    for (const [from, to] of [
      [0.15, 0.45],
      [0.5, 0.85],
    ] as const) {
      await page.mouse.move(box.x + box.width * from, box.y + box.height * 0.7);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * ((from + to) / 2), box.y + box.height * 0.2, { steps: 8 });
      await page.mouse.move(box.x + box.width * to, box.y + box.height * 0.7, { steps: 8 });
      await page.mouse.up();
    }
    await looksRight('drawn');
    await press('Sign the document');
    await page.getByRole('heading', { name: /signed$/ }).waitFor();
    await until('the document is completed', async () => (await get()).status === 'completed');
    for (const name of ['ada', 'zofia']) {
      await page.goto(await linkTo(name, /^Signed:/));
      await page.getByRole('heading', { name: 'Everybody has signed' }).waitFor();
      await looksRight(`completed-${name}`);
      const href = await page.getByRole('link', { name: 'Open the document' }).getAttribute('href');
      const bytes = Buffer.from(await (await fetch(local(href ?? ''))).arrayBuffer());
      expect([bytes.subarray(0, aPdf().length).toString(), bytes.length > aPdf().length]).toEqual([aPdf(), true]);
      if (process.env['SCREENSHOTS']) await keep(`${process.env['SCREENSHOTS']}/signed-${screen}.pdf`, bytes);
    }
    const verified = await tenant.api.verifySignature({ body: { fileId: (await get()).fileId } });
    expect(verified.data).toMatchObject({ known: true, signature: { valid: true } });
  });

  it('a person without JavaScript can sign, and a person can decline', async () => {
    const { data } = await tenant.api.createSignatureRequest({
      params: { id: await uploadPdf() },
      body: {
        subject: 'Terms',
        signers: [
          { name: 'Grace Hopper', email: emailOf('grace') },
          { name: 'Alan Turing', email: emailOf('alan'), role: 'approver' },
        ],
      },
    });
    const context = await browser.newContext({ viewport, javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(await linkTo('grace', /Terms/));
    await picture(plain, `no-script-${screen}`);
    await plain.getByLabel('Your full name').fill('Grace Hopper');
    await plain.getByLabel('I agree to sign').check();
    await plain.getByRole('button', { name: 'Sign the document' }).click();
    await plain.getByRole('heading', { name: 'Thank you, you have signed' }).waitFor();
    await context.close();
    await page.goto(await linkTo('alan', /Terms/));
    await page.getByText('I do not want to approve').click();
    await page.getByLabel('Reason').fill('The price is wrong');
    await looksRight('decline');
    await press('Decline');
    await page.getByRole('heading', { name: 'You have declined to sign' }).waitFor();
    await looksRight('declined');
    expect(await get(data.id)).toMatchObject({
      status: 'declined',
      signers: [{}, { declineReason: 'The price is wrong' }],
    });
    await page.goto(await linkTo('grace', /^Please sign/));
    await page.getByRole('heading', { name: 'This request was declined' }).waitFor();
  });
});

async function keep(path: string, bytes: Buffer): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(path, bytes);
}
